import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expectBelow } from '../../../test/harness/bounds.ts';
import { newId } from '../../kernel/ids.ts';
import { generateMasterKey, type KeyRing, parseKeyRing } from '../../kernel/seal.ts';
import { type BlobAddress, BlobBroken, type BlobStore, blobName } from './blob-store.ts';
import { createFileStore } from './file-store.ts';
import { createSealedBlobs } from './sealed-blobs.ts';
import { frame } from './sealed-form.ts';

let folder: string;
let store: BlobStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-sealed-'));
  store = createFileStore(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const firstKey = generateMasterKey();
const ring = parseKeyRing(firstKey);
const blobsUnder = (keys: KeyRing) => createSealedBlobs(store, keys);
const copyOf = (bytes: Uint8Array) => Buffer.concat([bytes]);
const storedAt = async (address: BlobAddress) =>
  copyOf((await store.get(blobName(address))) ?? Buffer.alloc(0));

/** The fault, or undefined when it could be read. */
const faultOf = async (address: BlobAddress, keys = ring) => {
  try {
    await blobsUnder(keys).read(address);
    return undefined;
  } catch (error) {
    if (error instanceof BlobBroken) return error.reason;
    throw error;
  }
};

const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }),
  // Long and repetitive, so that compression has something to do.
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.nat(5000))
    .map(([unit, times]) =>
      Uint8Array.from({ length: unit.length * times }, (_, at) => unit[at % unit.length] ?? 0),
    ),
);

describe('a sealed blob', () => {
  const accountId = newId();

  test('comes back as it was written, whatever it is', () =>
    fc.assert(
      fc.asyncProperty(someBytes, async (bytes) => {
        const blobs = blobsUnder(ring);
        const written = await blobs.write({ accountId, bytes });
        expect(written.sizeBytes).toBe(bytes.length);
        expect(copyOf(await blobs.read({ accountId, ...written }))).toEqual(copyOf(bytes));
        expect(await blobs.verify({ accountId, hash: written.hash })).toEqual(written);
        expect((await storedAt({ accountId, ...written })).length).toBe(written.storedBytes);
      }),
      { numRuns: 60 },
    ));

  test('is never wrong bytes after one bit was flipped anywhere or its end was cut off', () =>
    fc.assert(
      fc.asyncProperty(someBytes, fc.nat(), fc.nat(), async (bytes, bitSeed, cutSeed) => {
        const address = { accountId, ...(await blobsUnder(ring).write({ accountId, bytes })) };
        const good = await storedAt(address);
        const bit = bitSeed % (good.length * 8);
        const flipped = copyOf(good);
        flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        await store.put(blobName(address), flipped);
        expect(await faultOf(address)).toBeDefined();
        await store.put(blobName(address), copyOf(good.subarray(0, cutSeed % good.length)));
        expect(await faultOf(address)).toBe('truncated');
        await store.put(blobName(address), copyOf(Buffer.concat([good, good])));
        expect(await faultOf(address)).toBe('altered');
      }),
      { numRuns: 60 },
    ));

  test('breaks at each single bit of a short one', async () => {
    const bytes = Buffer.from('short');
    const address = { accountId, ...(await blobsUnder(ring).write({ accountId, bytes })) };
    const good = await storedAt(address);
    for (let bit = 0; bit < good.length * 8; bit += 1) {
      const flipped = copyOf(good);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      await store.put(blobName(address), flipped);
      expect(await faultOf(address)).toBeDefined();
    }
  });

  test('does not open under another name, nor in another account', async () => {
    const blobs = blobsUnder(ring);
    const a = { accountId, ...(await blobs.write({ accountId, bytes: Buffer.from('one') })) };
    const b = { accountId, ...(await blobs.write({ accountId, bytes: Buffer.from('two') })) };
    const theirs = { ...a, accountId: newId() };
    const [storedA, storedB] = [await storedAt(a), await storedAt(b)];
    await store.put(blobName(theirs), storedA);
    await store.put(blobName(a), storedB);
    await store.put(blobName(b), storedA);
    expect([await faultOf(a), await faultOf(b)]).toEqual(['altered', 'altered']);
    expect(await faultOf(theirs)).toBe('altered');
  });

  test('that is not there is told apart from one that is broken', async () => {
    expect(await faultOf({ accountId, hash: 'ab'.repeat(32) })).toBe('missing');
  });

  test('shows nothing of its bytes in the store', async () => {
    const bytes = Buffer.from('canary '.repeat(100));
    const address = { accountId, ...(await blobsUnder(ring).write({ accountId, bytes })) };
    expect((await storedAt(address)).includes('canary')).toBe(false);
    expect(address.storedBytes).toBeLessThan(bytes.length);
  });

  test('whose bytes do not shrink is stored as it is, at most a hundred bytes longer', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const { storedBytes } = await blobsUnder(ring).write({ accountId, bytes });
    expect(storedBytes).toBeLessThan(bytes.length + 100);
  });
});

describe('a blob sealed by us, but not of the form we write', () => {
  const accountId = newId();
  const putSealed = async (hash: string, packed: Buffer) => {
    const place = { table: 'blobs', column: 'bytes', rowId: hash, accountId };
    const address = { accountId, hash };
    await store.put(blobName(address), frame(ring.sealBytes(packed, place)));
    return address;
  };
  const header = (form: number, size: number) => {
    const bytes = Buffer.alloc(5);
    bytes.writeUInt8(form);
    bytes.writeUInt32BE(size, 1);
    return bytes;
  };
  const bomb = Bun.zstdCompressSync(Buffer.alloc(300_000_000));

  test.each([
    ['unpacks to more than it declares', Buffer.concat([header(1, 1000), bomb])],
    ['declares more than a blob may have', Buffer.concat([header(1, 2 ** 32 - 1), bomb])],
    ['declares nothing', Buffer.concat([header(1, 0), bomb])],
    ['is of an unknown form', Buffer.concat([header(7, 3), Buffer.from('abc')])],
    ['is not what its name says', Buffer.concat([header(0, 3), Buffer.from('abc')])],
    ['is no zstd', Buffer.concat([header(1, 3), Buffer.from('abc')])],
    ['is too short for a header', Buffer.from('abc')],
  ])('is broken when it %s', async (_, packed) => {
    const before = process.memoryUsage().rss;
    expect(await faultOf(await putSealed('cd'.repeat(32), packed))).toBe('wrongHash');
    expectBelow(process.memoryUsage().rss - before, 150_000_000);
  });
});

test('one too large is refused before it is stored', async () => {
  const bytes = new Uint8Array(64 * 1024 * 1024 + 1);
  const accountId = newId();
  await expect(blobsUnder(ring).write({ accountId, bytes })).rejects.toThrow('is larger than');
  expect(await Array.fromAsync(blobsUnder(ring).list(accountId))).toEqual([]);
});

test('the largest blob that may be goes in and comes out', async () => {
  const bytes = Buffer.alloc(64 * 1024 * 1024);
  for (let at = 0; at < bytes.length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  }
  const accountId = newId();
  const { hash } = await blobsUnder(ring).write({ accountId, bytes });
  expect(bytes.equals(await blobsUnder(ring).read({ accountId, hash }))).toBe(true);
});

test('a write is not believed before it was read back', async () => {
  const forgetful = { ...store, put: async () => undefined };
  const bytes = Buffer.from('accepted and dropped');
  const blobs = createSealedBlobs(forgetful, ring);
  await expect(blobs.write({ accountId: newId(), bytes })).rejects.toThrow('it is not there');
});

test('blobs are listed by their account and hash, and are gone after deleting', async () => {
  const accountId = newId();
  const blobs = blobsUnder(ring);
  const { hash, storedBytes } = await blobs.write({ accountId, bytes: Buffer.from('listed') });
  const listed = await Array.fromAsync(blobs.list(accountId));
  expect(listed).toMatchObject([{ accountId, hash, storedBytes }]);
  await blobs.delete({ accountId, hash });
  expect(await Array.fromAsync(blobs.list(accountId))).toEqual([]);
});

test('fifty writers of the same bytes agree', async () => {
  const accountId = newId();
  const bytes = Buffer.alloc(100_000, 'shared');
  const writes = Array.from({ length: 50 }, () => blobsUnder(ring).write({ accountId, bytes }));
  expect(new Set((await Promise.all(writes)).map(({ hash }) => hash)).size).toBe(1);
  expect(await Array.fromAsync(blobsUnder(ring).list(accountId))).toHaveLength(1);
});

describe('after the ring has gained a new sealing key', () => {
  test('a blob opens, is sealed anew once, and then does without the old key', async () => {
    const accountId = newId();
    const bytes = Buffer.from('kept over the years');
    const { hash } = await blobsUnder(ring).write({ accountId, bytes });
    const address = { accountId, hash };
    const newKey = generateMasterKey();
    const rotated = blobsUnder(parseKeyRing(`${newKey},${firstKey}`));

    expect(await rotated.keyIdOf(address)).toBe(ring.sealingKeyId);
    expect(copyOf(await rotated.read(address))).toEqual(bytes);
    expect(await faultOf(address, parseKeyRing(newKey))).toBe('unknownKey');
    const resealed = await rotated.reseal(address);
    expect(resealed.sealKeyId).not.toBe(ring.sealingKeyId);
    expect(await rotated.reseal(address)).toEqual(resealed);
    expect(await faultOf(address, parseKeyRing(newKey))).toBeUndefined();
    expect(await faultOf(address)).toBe('unknownKey');
  });
});

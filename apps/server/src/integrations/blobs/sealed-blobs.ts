import { type KeyRing, type Place, sealedBytesKeyId, unlessBroken } from '../../kernel/seal.ts';
import {
  type BlobAddress,
  BlobBroken,
  type BlobStore,
  blobAddress,
  blobName,
  largestBlobBytes,
} from './blob-store.ts';
import { frame, isOverlong, isTruncated, pack, sealedIn, unpack } from './sealed-form.ts';

type PlainBlob = { accountId: string; bytes: Uint8Array };

/** `hash` is the SHA-256 of the plain bytes, and the blob's name within its account. */
type WrittenBlob = { hash: string; sizeBytes: number; storedBytes: number };
export type SealedBlob = WrittenBlob & { stored: Buffer<ArrayBuffer>; sealKeyId: string };
type ListedBlob = BlobAddress & { modifiedAt: Date; storedBytes: number };

export type SealedBlobs = ReturnType<typeof createSealedBlobs>;

/**
 * Stores bytes compressed and sealed to their account and hash. Bytes that are read are verified against
 * the hash: they are what was written, or `BlobBroken` is thrown.
 */
export const createSealedBlobs = (store: BlobStore, ring: KeyRing) => {
  const dependencies = { store, ring };

  const seal = async ({ accountId, bytes }: PlainBlob): Promise<SealedBlob> => {
    if (bytes.length > largestBlobBytes) throw new BlobTooLarge(bytes.length);
    const hash = hashOf(bytes);
    const stored = await sealTo(ring, { accountId, hash }, bytes);
    const sizeBytes = bytes.length;
    const { sealingKeyId: sealKeyId } = ring;
    return { hash, sizeBytes, storedBytes: stored.length, stored, sealKeyId };
  };

  return {
    hashOf,
    /** Before `store`, so that the stored size is known in advance. */
    seal,
    /** Overwrites an existing blob. */
    store: (address: BlobAddress, { stored }: SealedBlob): Promise<void> =>
      putAndReadBack(dependencies, address, stored),
    async write(blob: PlainBlob): Promise<WrittenBlob> {
      const { stored, sealKeyId: _, ...written } = await seal(blob);
      const address = { accountId: blob.accountId, hash: written.hash };
      await putAndReadBack(dependencies, address, stored);
      return written;
    },
    read: async (address: BlobAddress): Promise<Uint8Array> =>
      openStored(ring, await fetchStored(store, address), address),
    /** Opens and compares everything, like `read`. */
    async verify(address: BlobAddress): Promise<WrittenBlob> {
      const stored = await fetchStored(store, address);
      const plain = await openStored(ring, stored, address);
      return { hash: address.hash, sizeBytes: plain.length, storedBytes: stored.length };
    },
    delete: (address: BlobAddress): Promise<void> => store.delete(blobName(address)),
    /** Of one account, or of all, including blobs without a row in the database. */
    async *list(accountId?: string): AsyncIterable<ListedBlob> {
      for await (const { name, ...rest } of store.list(accountId)) {
        const address = blobAddress(name);
        if (address) yield { ...address, ...rest };
      }
    },
    /** Under the ring's first key; returns the new stored size. */
    async reseal(address: BlobAddress): Promise<{ storedBytes: number; sealKeyId: string }> {
      const stored = await fetchStored(store, address);
      const { sealingKeyId: sealKeyId } = ring;
      if (keyIdOf(stored) === sealKeyId) return { storedBytes: stored.length, sealKeyId };
      const resealed = await sealTo(ring, address, await openStored(ring, stored, address));
      await putAndReadBack(dependencies, address, resealed);
      return { storedBytes: resealed.length, sealKeyId };
    },
    /** The key that must stay in the ring for this blob. */
    keyIdOf: async (address: BlobAddress): Promise<string> =>
      keyIdOf(await fetchStored(store, address)),
    removeLeftovers: (now: Date): Promise<number> => store.removeLeftovers(now),
  };
};

class BlobTooLarge extends Error {
  constructor(sizeBytes: number) {
    super(`A blob of ${sizeBytes} bytes is larger than ${largestBlobBytes}`);
    this.name = 'BlobTooLarge';
  }
}

type SealedBlobDependencies = { store: BlobStore; ring: KeyRing };

const sealTo = async (ring: KeyRing, address: BlobAddress, plain: Uint8Array) =>
  frame(ring.sealBytes(await pack(plain), placeOf(address)));

/** Detects a store that stored something else than it was given. */
const putAndReadBack = async (
  { store, ring }: SealedBlobDependencies,
  address: BlobAddress,
  stored: Buffer<ArrayBuffer>,
): Promise<void> => {
  await store.put(blobName(address), stored);
  await openStored(ring, await fetchStored(store, address), address);
};

const fetchStored = async (store: BlobStore, address: BlobAddress): Promise<Buffer> => {
  const bytes = await store.get(blobName(address));
  if (bytes === undefined) throw new BlobBroken('missing', address);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};

const keyIdOf = (stored: Buffer): string => sealedBytesKeyId(sealedIn(stored));

const openStored = async (ring: KeyRing, stored: Buffer, address: BlobAddress): Promise<Buffer> => {
  const plain = await unpack(openSeal(ring, stored, address));
  if (!plain || hashOf(plain) !== address.hash) throw new BlobBroken('wrongHash', address);
  return plain;
};

const openSeal = (ring: KeyRing, stored: Buffer, address: BlobAddress): Buffer => {
  if (isTruncated(stored)) throw new BlobBroken('truncated', address);
  if (isOverlong(stored)) throw new BlobBroken('altered', address);
  const keyId = keyIdOf(stored);
  if (keyId !== '' && !ring.keyIds.includes(keyId)) throw new BlobBroken('unknownKey', address);
  const opened = unlessBroken(() => ring.openBytes(sealedIn(stored), placeOf(address)));
  if (!opened) throw new BlobBroken('altered', address);
  return opened;
};

/** Sealed as if each blob were a row of its account, so that it opens under its own name only. */
const placeOf = ({ accountId, hash }: BlobAddress): Place => ({
  table: 'blobs',
  column: 'bytes',
  rowId: hash,
  accountId,
});

const hashOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

import { afterAll, beforeAll, describe, expect } from 'bun:test';
import {
  type BlobStore,
  blobName,
  type StoredBlob,
} from '../../../src/integrations/blobs/blob-store.ts';
import { checkBlobStore } from '../../../src/integrations/blobs/open-store.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { testWith } from '../running-service.ts';

type StartedStore = { store: BlobStore; stop(): Promise<void> };

type Subject = {
  name: string;
  kind: BlobStore['kind'];
  start(): Promise<StartedStore>;
  /** Skipped where this is false. */
  isThere?: boolean;
};

const randomHash = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
export const randomName = (accountId = newId()) => blobName({ accountId, hash: randomHash() });
export const bytesOf = (text: string) => Buffer.concat([Buffer.from(text)]);

export const namesOf = async (listed: AsyncIterable<StoredBlob>) => {
  const names: string[] = [];
  for await (const { name } of listed) names.push(name);
  return names.toSorted();
};

/** What holds for every store, whatever keeps its blobs. */
export const testBlobStore = ({ name, kind, start, isThere = true }: Subject): void =>
  describe(`a ${name} store`, () => {
    const test = testWith(name, isThere);
    let store: BlobStore;
    let stop: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      if (isThere) ({ store, stop } = await start());
    });
    afterAll(() => stop?.());

    test('gives back what it was given, and lets itself be checked', async () => {
      const name = randomName();
      await store.put(name, bytesOf('sealed'));
      expect(Buffer.from((await store.get(name)) ?? [])).toEqual(bytesOf('sealed'));
      expect<string>(store.kind).toBe(kind);
      await checkBlobStore(store);
    });

    test('holds a blob of many megabytes, and an empty one', async () => {
      const [large, empty] = [randomName(), randomName()];
      const bytes = Buffer.alloc(20_000_000, 'many');
      await store.put(large, bytes);
      await store.put(empty, Buffer.alloc(0));
      expect(bytes.equals((await store.get(large)) ?? Buffer.alloc(0))).toBe(true);
      expect(await store.get(empty)).toHaveLength(0);
    });

    test('says that a blob is not there, before it was put and after it was deleted', async () => {
      const name = randomName();
      expect(await store.get(name)).toBeUndefined();
      await store.put(name, bytesOf('short-lived'));
      await store.delete(name);
      await store.delete(name);
      expect(await store.get(name)).toBeUndefined();
    });

    test('replaces a blob as a whole', async () => {
      const name = randomName();
      await store.put(name, bytesOf('a long first version'));
      await store.put(name, bytesOf('second'));
      expect(Buffer.from((await store.get(name)) ?? [])).toEqual(bytesOf('second'));
    });

    test('takes fifty puts of one blob at once, readable at every moment', async () => {
      const name = randomName();
      const bytes = Buffer.alloc(200_000, 'same');
      await store.put(name, bytes);
      const puts = Array.from({ length: 50 }, () => store.put(name, bytes));
      for (let reads = 0; reads < 10; reads += 1) {
        expect(bytes.equals((await store.get(name)) ?? Buffer.alloc(0))).toBe(true);
      }
      await Promise.all(puts);
      expect(bytes.equals((await store.get(name)) ?? Buffer.alloc(0))).toBe(true);
    });

    test('shows one version or the other while they replace each other, never a part of one', async () => {
      const name = randomName();
      const versions = [Buffer.alloc(400_000, 'long'), Buffer.alloc(1000, 'short')] as const;
      await store.put(name, versions[0]);
      const puts = Array.from({ length: 20 }, (_, turn) =>
        store.put(name, versions[turn % 2 === 0 ? 1 : 0]),
      );
      for (let reads = 0; reads < 20; reads += 1) {
        const found = (await store.get(name)) ?? Buffer.alloc(0);
        expect(versions.some((version) => version.equals(found))).toBe(true);
      }
      await Promise.all(puts);
    });

    test('lists one account or all, with size and time', async () => {
      const [mine, theirs] = [newId(), newId()];
      const names = [randomName(mine), randomName(mine), randomName(mine)].toSorted();
      for (const name of names) await store.put(name, bytesOf('12345'));
      const foreign = randomName(theirs);
      await store.put(foreign, bytesOf('x'));
      expect(await namesOf(store.list(mine))).toEqual(names);
      expect(await namesOf(store.list())).toContainValues([...names, foreign]);
      expect(await namesOf(store.list(newId()))).toEqual([]);
      for await (const { modifiedAt, storedBytes } of store.list(mine)) {
        expect(storedBytes).toBe(5);
        expect(Math.abs(Date.now() - modifiedAt.getTime())).toBeLessThan(60_000);
      }
    });

    test('refuses names that are none of a blob', async () => {
      for (const wrong of wrongNames) {
        await expect(store.put(wrong, bytesOf('x'))).rejects.toThrow('Not the name of a blob');
        await expect(store.get(wrong)).rejects.toThrow('Not the name of a blob');
        await expect(store.delete(wrong)).rejects.toThrow('Not the name of a blob');
        await expect(namesOf(store.list(`${wrong}/..`))).rejects.toThrow(
          'Not the id of an account',
        );
      }
    });
  });

const wrongNames = [
  '../../etc/passwd',
  'tmp/x',
  '',
  `${newId()}/ab/${'AB'.repeat(32)}`,
  `${newId()}/cd/${'ab'.repeat(32)}`,
  `${newId()}/ab/${'ab'.repeat(32)}\n`,
  `${newId()}/../${'ab'.repeat(32)}`,
];

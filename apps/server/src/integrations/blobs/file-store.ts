import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../kernel/describe-error.ts';
import {
  type BlobStore,
  blobAddress,
  isAccountId,
  largestStoredBytes,
  requireAccountId,
  requireBlobName,
  StorageFull,
  StorageUnavailable,
  type StoredBlob,
} from './blob-store.ts';

const leftoverMs = 60 * 60 * 1000;
const fullCodes = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Files under one folder, which only our user may access. */
export const createFileStore = (folder: string): BlobStore => {
  const temporaries = join(folder, 'tmp');
  const syncedFolders = new Set<string>();

  return {
    kind: 'file',
    put: (name, bytes) =>
      withStorageErrors(async () => {
        const path = join(folder, requireBlobName(name));
        await mkdir(temporaries, { recursive: true, mode: 0o700 });
        const temporary = join(temporaries, crypto.randomUUID());
        try {
          await writeSynced(temporary, bytes);
          await mkdir(dirname(path), { recursive: true, mode: 0o700 });
          await rename(temporary, path);
        } catch (error) {
          // If this fails too, `removeLeftovers` removes it later; the caller needs the first error.
          await rm(temporary, { force: true }).catch(() => undefined);
          throw error;
        }
        await syncFolders(path, folder, syncedFolders);
      }),
    get: (name) =>
      withStorageErrors(() => ifPresent(() => readLimited(join(folder, requireBlobName(name))))),
    delete: (name) =>
      withStorageErrors(() => rm(join(folder, requireBlobName(name)), { force: true })),
    list: (accountId) => listFiles(folder, accountId),
    removeLeftovers: (now) =>
      withStorageErrors(() => removeOlder(temporaries, now.getTime() - leftoverMs)),
  };
};

const writeSynced = async (path: string, bytes: Uint8Array): Promise<void> => {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(bytes);
  await file.sync();
};

/**
 * Syncs the blob's folder, and the first time also those above it, even where they existed already:
 * another process may have created them just now without syncing their parents. Folders are never
 * removed.
 */
const syncFolders = async (path: string, root: string, synced: Set<string>): Promise<void> => {
  const shard = dirname(path);
  const above = synced.has(shard) ? [] : [dirname(shard), root];
  for (const folder of [shard, ...above]) {
    await using handle = await open(folder, 'r');
    await handle.sync();
  }
  synced.add(shard);
};

const readLimited = async (path: string): Promise<Uint8Array> => {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.min(size, largestStoredBytes));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
};

async function* listFiles(root: string, accountId?: string): AsyncIterable<StoredBlob> {
  const accounts = accountId === undefined ? await namesIn(root) : [requireAccountId(accountId)];
  for (const account of accounts.filter(isAccountId)) {
    for (const shard of await namesIn(join(root, account))) {
      if (isShard(shard)) yield* listShard(root, `${account}/${shard}`);
    }
  }
}

async function* listShard(root: string, shard: string): AsyncIterable<StoredBlob> {
  for (const file of await namesIn(join(root, shard))) {
    const name = `${shard}/${file}`;
    const found = blobAddress(name) && (await statIfPresent(join(root, name)));
    if (found) yield { name, modifiedAt: found.mtime, storedBytes: found.size };
  }
}

const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name);

const statIfPresent = (path: string) => withStorageErrors(() => ifPresent(() => stat(path)));

/** Empty where the folder does not exist. */
const namesIn = (folder: string): Promise<string[]> =>
  withStorageErrors(async () => (await ifPresent(() => readdir(folder))) ?? []);

const removeOlder = async (folder: string, beforeMs: number): Promise<number> => {
  let removed = 0;
  for (const name of await namesIn(folder)) {
    const found = await statIfPresent(join(folder, name));
    if (!found || found.mtimeMs >= beforeMs) continue;
    await rm(join(folder, name), { force: true });
    removed += 1;
  }
  return removed;
};

const ifPresent = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

const withStorageErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw fullCodes.includes(code) ? new StorageFull() : new StorageUnavailable(code);
  }
};

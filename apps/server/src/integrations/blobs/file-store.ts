import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
} from './store.ts';

const leftoverMs = 60 * 60 * 1000;
const fullCodes = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Files under one folder, which only we may enter. */
export const createFileStore = (folder: string): BlobStore => {
  const temporaries = join(folder, 'tmp');
  const syncedShelves = new Set<string>();

  return {
    kind: 'file',
    put: (name, bytes) =>
      inWords(async () => {
        const path = join(folder, requireBlobName(name));
        await mkdir(temporaries, { recursive: true, mode: 0o700 });
        const temporary = join(temporaries, crypto.randomUUID());
        try {
          await writeSynced(temporary, bytes);
          await mkdir(dirname(path), { recursive: true, mode: 0o700 });
          await rename(temporary, path);
        } catch (error) {
          // What cannot be removed now is a leftover; the caller needs the first reason.
          await rm(temporary, { force: true }).catch(() => undefined);
          throw error;
        }
        await syncFolders(path, folder, syncedShelves);
      }),
    get: (name) => inWords(() => ifThere(() => readLimited(join(folder, requireBlobName(name))))),
    delete: (name) => inWords(() => rm(join(folder, requireBlobName(name)), { force: true })),
    list: (accountId) => listFiles(folder, accountId),
    removeLeftovers: (now) => inWords(() => removeOlder(temporaries, now.getTime() - leftoverMs)),
  };
};

const writeSynced = async (path: string, bytes: Uint8Array): Promise<void> => {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(bytes);
  await file.sync();
};

/**
 * The blob's folder, and the first time also those above it: also where they were there already, for
 * somebody may have made them a moment ago and not synced what they stand in. Folders never go away.
 */
const syncFolders = async (path: string, root: string, synced: Set<string>): Promise<void> => {
  const shelf = dirname(path);
  const above = synced.has(shelf) ? [] : [dirname(shelf), root];
  for (const folder of [shelf, ...above]) {
    await using handle = await open(folder, 'r');
    await handle.sync();
  }
  synced.add(shelf);
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
    for (const shelf of await namesIn(join(root, account))) {
      if (isShelf(shelf)) yield* listShelf(root, `${account}/${shelf}`);
    }
  }
}

async function* listShelf(root: string, shelf: string): AsyncIterable<StoredBlob> {
  for (const file of await namesIn(join(root, shelf))) {
    const name = `${shelf}/${file}`;
    const found = blobAddress(name) && (await statIfThere(join(root, name)));
    if (found) yield { name, modifiedAt: found.mtime, storedBytes: found.size };
  }
}

const isShelf = (name: string): boolean => /^[0-9a-f]{2}$/.test(name);

const statIfThere = (path: string) => inWords(() => ifThere(() => stat(path)));

/** None where there is no such folder. */
const namesIn = (folder: string): Promise<string[]> =>
  inWords(async () => (await ifThere(() => readdir(folder))) ?? []);

const removeOlder = async (folder: string, beforeMs: number): Promise<number> => {
  let removed = 0;
  for (const name of await namesIn(folder)) {
    const found = await statIfThere(join(folder, name));
    if (!found || found.mtimeMs >= beforeMs) continue;
    await rm(join(folder, name), { force: true });
    removed += 1;
  }
  return removed;
};

const ifThere = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

const inWords = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (fullCodes.includes(code)) throw new StorageFull();
    if (code !== '') throw new StorageUnavailable(code);
    throw error;
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

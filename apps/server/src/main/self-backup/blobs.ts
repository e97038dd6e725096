import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { BlobStore } from '../../integrations/blobs/blob-store.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { fileNames, makePrivateFolder, writeSynced } from './files.ts';
import { readLines, writeLines } from './lines.ts';
import { listBackups, readManifest } from './manifest.ts';

/**
 * The copies of blobs, shared by all backups in a folder: each under the hash of its sealed bytes, so that
 * one which is sealed anew under another master key is another copy.
 */
const copiesIn = (to: string): string => join(to, 'blobs');
const copyPath = (to: string, sha256: string) => join(copiesIn(to), sha256.slice(0, 2), sha256);

const copiedBlob = z.object({
  name: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.number(),
  modifiedAt: z.string(),
});
export type CopiedBlob = z.output<typeof copiedBlob>;
type CopiedBlobs = Map<string, CopiedBlob>;

/**
 * Copies the blobs that `known` does not have, and returns those together with `known`'s that are still in
 * the store. One whose size and time are as before is not read again.
 */
export const copyBlobs = async (
  store: BlobStore,
  to: string,
  known: CopiedBlobs,
): Promise<CopiedBlobs> => {
  const copied: CopiedBlobs = new Map();
  for await (const { name, storedBytes, modifiedAt } of store.list()) {
    const before = known.get(name);
    const isSame = before?.bytes === storedBytes && before.modifiedAt === modifiedAt.toISOString();
    const blob = isSame ? before : await copyBlob(store, to, { name, modifiedAt });
    if (blob) copied.set(name, blob);
  }
  return copied;
};

/** Undefined where it was deleted in the meantime. */
const copyBlob = async (
  store: BlobStore,
  to: string,
  { name, modifiedAt }: { name: string; modifiedAt: Date },
): Promise<CopiedBlob | undefined> => {
  const bytes = await store.get(name);
  if (!bytes) return undefined;
  const sha256 = hashOf(bytes);
  const path = copyPath(to, sha256);
  const found = await stat(path).catch(() => undefined);
  if (found?.size !== bytes.length) await writeWhole(path, bytes);
  return { name, sha256, bytes: bytes.length, modifiedAt: modifiedAt.toISOString() };
};

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const writeWhole = async (path: string, bytes: Uint8Array): Promise<void> => {
  await makePrivateFolder(dirname(path));
  const temporary = `${path}.${crypto.randomUUID()}`;
  try {
    await writeSynced(temporary, bytes);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
};

export const writeBlobList = (folder: string, blobs: CopiedBlobs): Promise<string> =>
  writeLines(join(folder, fileNames.blobs), linesOf(blobs));

async function* linesOf(blobs: CopiedBlobs): AsyncIterable<string> {
  for (const blob of blobs.values()) yield JSON.stringify(blob);
}

export async function* readBlobList(folder: string, sha256?: string): AsyncIterable<CopiedBlob> {
  for await (const line of readLines(join(folder, fileNames.blobs), sha256)) {
    yield copiedBlob.parse(JSON.parse(line));
  }
}

/** Of the newest backup in the folder; where that is damaged, or not ours, all is copied anew. */
export const readKnownBlobs = async (to: string, ring: KeyRing): Promise<CopiedBlobs> => {
  const known: CopiedBlobs = new Map();
  const [newest] = await listBackups(to);
  if (!newest) return known;
  try {
    const folder = join(to, newest.name);
    const { blobs } = await readManifest(folder, { ring });
    for await (const blob of readBlobList(folder, blobs.sha256)) {
      const found = await stat(copyPath(to, blob.sha256)).catch(() => undefined);
      if (found?.size === blob.bytes) known.set(blob.name, blob);
    }
  } catch {
    return new Map();
  }
  return known;
};

/** The copy, checked. */
export const readCopy = async (to: string, blob: CopiedBlob): Promise<Buffer<ArrayBuffer>> => {
  const bytes = await readFile(copyPath(to, blob.sha256)).catch(() => undefined);
  if (!bytes) throw new Error(`The backup is damaged: the copy of blob ${blob.name} is missing`);
  if (hashOf(bytes) === blob.sha256) return Buffer.from(bytes);
  throw new Error(`The backup is damaged: the copy of blob ${blob.name} has other bytes`);
};

/** Throws where a copy is not there: another backup into the same folder may have deleted it meanwhile. */
export const requireCopies = async (to: string, blobs: CopiedBlobs): Promise<void> => {
  for (const { name, sha256, bytes } of blobs.values()) {
    const found = await stat(copyPath(to, sha256)).catch(() => undefined);
    if (found?.size !== bytes) throw new Error(`The copy of blob ${name} is gone: begin again`);
  }
};

/** A copy, or what an interrupted run left of one; the folder may be that of something else as well. */
const copyName = /^[0-9a-f]{64}(?:\.[0-9a-f-]{36})?$/;
const shardName = /^[0-9a-f]{2}$/;

/** Deletes the copies that no backup in the folder lists any more. Throws where a list cannot be read. */
export const deleteUnlisted = async (to: string): Promise<void> => {
  const listed = new Set<string>();
  for (const { name } of await listBackups(to)) {
    for await (const { sha256 } of readBlobList(join(to, name))) listed.add(sha256);
  }
  const shards = await readdir(copiesIn(to)).catch(() => []);
  for (const shard of shards.filter((name) => shardName.test(name))) {
    for (const file of await readdir(join(copiesIn(to), shard))) {
      if (listed.has(file) || !copyName.test(file)) continue;
      await rm(join(copiesIn(to), shard, file), { force: true });
    }
  }
};

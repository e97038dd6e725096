import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import packageJson from '../../../package.json';
import type { Database } from '../../db/connect.ts';
import type { BlobStore } from '../../integrations/blobs/blob-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { copyBlobs, readKnownBlobs, requireCopies, writeBlobList } from './blobs.ts';
import { dumpDatabase } from './dump.ts';
import { fileNames, makePrivateFolder } from './files.ts';
import { folderNameAt, type Manifest, partialPrefix, writeManifest } from './manifest.ts';
import { deleteOlder } from './retention.ts';

type BackupDependencies = {
  /** Without a time-out for statements. */
  db: Database;
  store: BlobStore;
  clock: Clock;
  /** Its sealing key authenticates the backup. */
  ring: KeyRing;
};

type BackupTarget = { to: string; keep?: number | undefined };

type Report = {
  folder: string;
  tables: number;
  rows: number;
  blobs: number;
  blobBytes: number;
  deletedBackups: number;
  /** Why older backups, or copies of blobs, could not be deleted. */
  notDeleted?: string;
};

/**
 * A copy of everything but the master keys. Blobs are copied before the database and again after it: one
 * that is deleted meanwhile was there the first time, and a new one is there the second time. The folder
 * gets its name when all of it is on the disk; one without such a name is the rest of an interrupted run.
 */
export const backUpService = async (
  { db, store, clock, ring }: BackupDependencies,
  { to: given, keep }: BackupTarget,
  signal?: AbortSignal,
): Promise<Report> => {
  const to = folderOf(given);
  const createdAt = clock.now();
  await makePrivateFolder(to);
  await removeInterrupted(to, createdAt);
  const partial = join(to, `${partialPrefix}${crypto.randomUUID()}`);
  await makePrivateFolder(partial);
  try {
    const before = await copyBlobs(store, to, await readKnownBlobs(to, ring));
    signal?.throwIfAborted();
    const dumped = await dumpDatabase(db, join(partial, fileNames.database));
    signal?.throwIfAborted();
    const blobs = new Map([...before, ...(await copyBlobs(store, to, before))]);
    const blobBytes = [...blobs.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    const sha256 = await writeBlobList(partial, blobs);
    const manifest: Manifest = {
      ...{ form: 1, version: packageJson.version, createdAt: createdAt.toISOString(), ...dumped },
      blobs: { sha256, count: blobs.size, bytes: blobBytes },
    };
    await writeManifest(partial, manifest, ring);
    signal?.throwIfAborted();
    await requireCopies(to, blobs);
    const folder = join(to, folderNameAt(createdAt));
    await rename(partial, folder);
    await syncFolder(to);
    const counts = Object.values(dumped.database.rows);
    return {
      folder,
      tables: counts.length,
      rows: counts.reduce((sum, count) => sum + count, 0),
      blobs: blobs.size,
      blobBytes,
      ...(keep === undefined ? { deletedBackups: 0 } : await deleteOlder(to, keep)),
    };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
};

/** `s3://…` would else become a folder of that name where the service was started. */
const folderOf = (given: string): string => {
  if (!/^[a-z][a-z0-9+.-]+:/i.test(given)) return resolve(given);
  throw new Error('A backup of the service goes to a folder: an address such as s3:// is none');
};

const interruptedMs = 24 * 60 * 60 * 1000;

/** Not a younger one: another process may be at it. */
const removeInterrupted = async (to: string, now: Date): Promise<void> => {
  for (const name of await readdir(to)) {
    if (!name.startsWith(partialPrefix)) continue;
    const { mtimeMs } = await stat(join(to, name));
    if (now.getTime() - mtimeMs > interruptedMs) await rm(join(to, name), { recursive: true });
  }
};

const syncFolder = async (path: string): Promise<void> => {
  await using folder = await open(path, 'r');
  await folder.sync();
};

import type { Database } from '../../../db/connect.ts';
import { BlobBroken, StorageUnavailable } from '../../../integrations/blobs/blob-store.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Aside } from '../../../kernel/aside.ts';
import { DeadlinePassed } from '../../../kernel/deadline.ts';
import type { HttpError } from '../../../kernel/errors.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { failureMessage } from '../capture/failure-message.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { findBackupOfServer } from '../queries.ts';
import type { ReadObject } from '../snapshot/read-snapshot.ts';

export type ContentsDependencies = {
  db: Database;
  blobs: SealedBlobs;
  ring: KeyRing;
  aside: Pick<Aside, 'run'>;
};

export type BackupAddress = { server: { id: string; accountId: string }; backupId: string };

export type ReadableBackup = Omit<
  NonNullable<Awaited<ReturnType<typeof findBackupOfServer>>>,
  'checksum'
> & { checksum: string };

/** Reads nothing further for a request that was answered long ago. */
const longestReadMs = 10_000;

/**
 * Reads a completed backup for a request. One that is redacted meanwhile has other objects afterwards,
 * and is read again.
 */
export const readBackup = async <Result>(
  { db, blobs }: ContentsDependencies,
  address: BackupAddress,
  work: (backup: ReadableBackup, read: ReadObject) => Promise<Result>,
): Promise<Result> => {
  const read = withinTime(createObjectReader(db, blobs, address.server.accountId));
  const backup = await findReadable(db, address);
  try {
    return await work(backup, read);
  } catch (error) {
    if (!(error instanceof BlobBroken || error instanceof StorageUnavailable)) throw error;
    const now = await findReadable(db, address);
    if (now.checksum === backup.checksum) throw unreadable(error);
    return work(now, read);
  }
};

const findReadable = async (
  db: Database,
  { server, backupId }: BackupAddress,
): Promise<ReadableBackup> => {
  const backup = await findBackupOfServer(db, server, backupId);
  if (!backup) throw notFound('Backup');
  const { checksum, status } = backup;
  if (status !== 'completed' || checksum === null) throw conflict('This backup is not completed');
  return { ...backup, checksum };
};

const unreadable = (error: Error): HttpError => conflict(failureMessage(error));

const withinTime = (read: ReadObject): ReadObject => {
  const endsAt = performance.now() + longestReadMs;
  return (hash) => {
    if (performance.now() > endsAt) throw new DeadlinePassed(longestReadMs);
    return read(hash);
  };
};

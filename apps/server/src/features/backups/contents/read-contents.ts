import type { BackupContents } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import { BlobBroken, StorageUnavailable } from '../../../integrations/blobs/blob-store.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { DeadlinePassed } from '../../../kernel/deadline.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { failureMessage } from '../capture/failure-message.ts';
import { readErased } from '../erasure/erasures.ts';
import { noneErased, redactSnapshot } from '../erasure/redact.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { findBackupOfServer, savedAtOf } from '../queries.ts';
import { type ReadObject, readSnapshot } from '../snapshot/read-snapshot.ts';
import { type SectionName, type Snapshot, settingsPictures } from '../snapshot/snapshot.ts';
import { limitToTemplate } from '../snapshot/template.ts';
import { describeContents } from './describe-contents.ts';
import { readPictures } from './read-pictures.ts';

export type ContentsDependencies = { db: Database; blobs: SealedBlobs; ring: KeyRing };

type Server = { id: string; accountId: string };
type Backup = NonNullable<Awaited<ReturnType<typeof findBackupOfServer>>>;

const structure = ['settings', 'roles', 'channels'] as const satisfies SectionName[];

const largestPictureBytes = 256 * 1024;

/** Reads nothing further for a request that was answered long ago. */
const longestReadMs = 10_000;

/** The structure of a guild in a backup of the server. */
export const readContents = async (
  dependencies: ContentsDependencies,
  server: Server,
  backupId: string,
): Promise<BackupContents> => {
  const backup = await findReadable(dependencies, server, backupId);
  try {
    return await readBackup(dependencies, server, backup);
  } catch (error) {
    if (!(error instanceof BlobBroken || error instanceof StorageUnavailable)) throw error;
    // It may have been redacted meanwhile, and has other objects since.
    const now = await findReadable(dependencies, server, backupId);
    if (now.checksum === backup.checksum) throw conflict(failureMessage(error));
    return readBackup(dependencies, server, now);
  }
};

const findReadable = async (
  { db }: ContentsDependencies,
  server: Server,
  backupId: string,
): Promise<Backup & { checksum: string }> => {
  const backup = await findBackupOfServer(db, server, backupId);
  if (!backup) throw notFound('Backup');
  const { checksum, status } = backup;
  if (status !== 'completed' || checksum === null) throw conflict('This backup is not completed');
  return { ...backup, checksum };
};

const readBackup = async (
  { db, blobs, ring }: ContentsDependencies,
  { accountId }: Server,
  backup: Backup & { checksum: string },
): Promise<BackupContents> => {
  const read = withinTime(createObjectReader(db, blobs, accountId));
  const stored = await readSnapshot(read, backup.checksum, structure, noneErased);
  const source = { accountId, savedAt: savedAtOf(backup) };
  // After the objects: people who were erased while they were read are not in it either.
  const redacted = redactSnapshot(stored, await readErased(db, ring, source));
  const snapshot = backup.kind === 'MARKETPLACE' ? limitToTemplate(redacted) : redacted;
  const pictures = await readPictures(
    { db, blobs, accountId },
    imagesOf(snapshot),
    largestPictureBytes,
  );
  return describeContents(snapshot, pictures);
};

const imagesOf = ({ settings = [] }: Snapshot) =>
  settings.flatMap(({ pictures }) => settingsPictures.map((name) => pictures[name]));

const withinTime = (read: ReadObject): ReadObject => {
  const endsAt = performance.now() + longestReadMs;
  return (hash) => {
    if (performance.now() > endsAt) throw new DeadlinePassed(longestReadMs);
    return read(hash);
  };
};

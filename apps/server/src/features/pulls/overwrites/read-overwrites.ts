import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import { readSavedOverwrites } from '../../backups/people/read-overwrites.ts';
import { findBackup, savedAtOf } from '../../backups/queries.ts';
import type { PullRun } from '../run/pull-run.ts';
import type { SavedOverwrites } from './give-overwrites.ts';

/** What the backup of a pull has of the overwrites of these people, by their ids. */
export const readOverwrites = async (
  { dependencies, owner: { accountId }, pull, savedRoles }: PullRun,
  people: readonly { platformId: string | null }[],
): Promise<ReadonlyMap<string, SavedOverwrites>> => {
  const backupId = savedRoles && pull.rolesFromBackupId;
  const backup = backupId && (await findBackup(dependencies.db, { accountId, backupId }));
  if (!backup || backup.checksum === null) return new Map();
  const source = { accountId, checksum: backup.checksum, savedAt: savedAtOf(backup) };
  const ids = people.flatMap(({ platformId }) => platformId ?? []);
  const found = await readSavedOverwrites(dependencies, source, ids).catch((error: unknown) => {
    if (!(error instanceof BlobBroken)) throw error;
    // Deleted or redacted meanwhile.
    return new Map();
  });
  const { savedAt } = source;
  return new Map([...found].map(([id, overwrites]) => [id, { savedAt, overwrites }]));
};

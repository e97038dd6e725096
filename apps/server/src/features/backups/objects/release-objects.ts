import { type Database, markChanged } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { deleteUnreferenced } from './queries.ts';
import { addressOf } from './read-objects.ts';

const objectsAtATime = 200;

/**
 * Releases the account's objects without a reference. Rows are deleted before files; a crash between
 * the two leaves files without a row, which the sweep finds.
 */
export const releaseObjects = async (
  db: Database,
  blobs: SealedBlobs,
  accountId: string,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    signal.throwIfAborted();
    const deleted = await db.transaction((tx) => deleteUnreferenced(tx, accountId, objectsAtATime));
    for (const blob of deleted) await blobs.delete(addressOf(blob));
    // Less storage is used.
    if (deleted.length > 0) markChanged(db, { accountId }, 'backups');
    if (deleted.length < objectsAtATime) return;
  }
};

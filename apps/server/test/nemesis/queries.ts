import { and, eq, exists } from 'drizzle-orm';
import type { Database } from '../../src/db/connect.ts';
import { backupBlobs, backups, blobs } from '../../src/features/backups/table.ts';
import type { RestoreOwner } from '../../src/features/restores/queries.ts';
import { restores } from '../../src/features/restores/table.ts';

/** What a restore wrote down before its first step. */
export const findGroundwork = async (db: Database, { restoreId, userId }: RestoreOwner) => {
  const [restore] = await db
    .select({ groundwork: restores.groundwork })
    .from(restores)
    .where(and(eq(restores.id, restoreId), eq(restores.userId, userId)));
  return restore?.groundwork ?? undefined;
};

/** Of all accounts and servers, whatever became of them. */
export const countRestores = (db: Database): Promise<number> => db.$count(restores);

/** All objects there should be, and whether any backup has a use for them. */
export const listStoredObjects = (db: Database) => {
  const uses = db
    .select({ blobId: backupBlobs.blobId })
    .from(backupBlobs)
    .where(eq(backupBlobs.blobId, blobs.id));
  return db.select({ id: blobs.id, isReferred: exists(uses) }).from(blobs);
};

/** They are named after the restore they were made for. */
export const countSafetyBackups = (db: Database, restoreId: string): Promise<number> =>
  db.$count(backups, eq(backups.name, `Before restore ${restoreId}`));

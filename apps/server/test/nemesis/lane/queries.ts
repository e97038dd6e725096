import { and, eq, exists, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../../../src/db/connect.ts';
import { auditEntries } from '../../../src/features/audit/table.ts';
import { backupBlobs, backups, blobs } from '../../../src/features/backups/table.ts';
import { members } from '../../../src/features/members/table.ts';
import type { PullOwner } from '../../../src/features/pulls/queries/pulls.ts';
import { pullMembers } from '../../../src/features/pulls/table.ts';
import type { RestoreOwner } from '../../../src/features/restores/queries/restores.ts';
import { restores } from '../../../src/features/restores/table.ts';
import { memberTokens } from '../../../src/features/vault/table.ts';
import type { PullServer } from '../../harness/pulls/many-members.ts';

/** The plan context that a restore stored before its first step. */
export const findPlanContext = async (db: Database, { restoreId, accountId }: RestoreOwner) => {
  const [restore] = await db
    .select({ plan: restores.plan })
    .from(restores)
    .where(and(eq(restores.id, restoreId), eq(restores.accountId, accountId)));
  return restore?.plan ?? undefined;
};

/** Restores of all accounts and servers. */
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

/** Deletes the server's members and their tokens. */
export const deleteMembers = async (
  db: Database,
  { serverId, botId }: PullServer,
): Promise<void> => {
  await db.delete(memberTokens).where(eq(memberTokens.botId, botId));
  await db.delete(members).where(eq(members.serverId, serverId));
};

/** Marks their access tokens as expired. */
export const expireTokens = async (
  db: Database,
  { botId }: PullServer,
  platformIds: string[],
): Promise<void> => {
  await db
    .update(memberTokens)
    .set({ expiresAt: sql`now() - interval '1 second'` })
    .where(and(eq(memberTokens.botId, botId), inArray(memberTokens.platformId, platformIds)));
};

/** Refreshes that are claimed by a worker, alive or dead. */
export const countClaims = (db: Database, { botId }: PullServer): Promise<number> =>
  db.$count(
    memberTokens,
    and(eq(memberTokens.botId, botId), isNotNull(memberTokens.refreshingUntil)),
  );

/** One row for each selected member; null for an erased one. */
export const listPullResults = (db: Database, pullId: string) =>
  db
    .select({ platformId: members.platformId, result: pullMembers.result })
    .from(pullMembers)
    .leftJoin(members, eq(members.id, pullMembers.memberId))
    .where(eq(pullMembers.pullId, pullId));

export const countPullEnds = (db: Database, { accountId, pullId }: PullOwner): Promise<number> =>
  db.$count(
    auditEntries,
    and(
      eq(auditEntries.accountId, accountId),
      eq(auditEntries.subjectId, pullId),
      eq(auditEntries.action, 'pull.end'),
    ),
  );

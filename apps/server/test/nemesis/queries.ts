import { and, eq, exists, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../../src/db/connect.ts';
import { auditEntries } from '../../src/features/audit/table.ts';
import { backupBlobs, backups, blobs } from '../../src/features/backups/table.ts';
import { members } from '../../src/features/members/table.ts';
import type { PullOwner } from '../../src/features/pulls/queries.ts';
import { pullMembers } from '../../src/features/pulls/table.ts';
import type { RestoreOwner } from '../../src/features/restores/queries.ts';
import { restores } from '../../src/features/restores/table.ts';
import { memberTokens } from '../../src/features/vault/table.ts';
import type { CrowdPlace } from '../crowd.ts';

/** What a restore wrote down before its first step. */
export const findGroundwork = async (db: Database, { restoreId, accountId }: RestoreOwner) => {
  const [restore] = await db
    .select({ groundwork: restores.groundwork })
    .from(restores)
    .where(and(eq(restores.id, restoreId), eq(restores.accountId, accountId)));
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

/** Who is in the server, and what they gave its bot. */
export const forgetMembers = async (
  db: Database,
  { serverId, botId }: CrowdPlace,
): Promise<void> => {
  await db.delete(memberTokens).where(eq(memberTokens.botId, botId));
  await db.delete(members).where(eq(members.serverId, serverId));
};

/** Their access tokens are over, as we know. */
export const expireTokens = async (
  db: Database,
  { botId }: CrowdPlace,
  platformIds: string[],
): Promise<void> => {
  await db
    .update(memberTokens)
    .set({ expiresAt: sql`now() - interval '1 second'` })
    .where(and(eq(memberTokens.botId, botId), inArray(memberTokens.platformId, platformIds)));
};

/** How many refreshes somebody is at, or died over. */
export const countClaims = (db: Database, { botId }: CrowdPlace): Promise<number> =>
  db.$count(
    memberTokens,
    and(eq(memberTokens.botId, botId), isNotNull(memberTokens.refreshingUntil)),
  );

/** One row for each who was settled to be called; null for who was erased. */
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

import { and, desc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { bots } from '../bots/table.ts';
import { servers } from '../servers/table.ts';
import { appeals, grants, passages, traces } from '../verification/table.ts';

/*
 * What the way in keeps of one person, over all accounts. It is read and erased here rather than in
 * each of its rooms, so that what is shown, exported and erased can be compared at one glance.
 */

export const listServersOf = async (db: Queryable, ids: string[]) => {
  if (ids.length === 0) return [];
  return db
    .select({ id: servers.id, name: servers.name, platformGuildId: servers.platformGuildId })
    .from(servers)
    .where(and(inArray(servers.id, ids), isNull(servers.deletedAt)))
    .orderBy(servers.name, servers.id);
};

export const listAppealsOf = (db: Queryable, platformId: string) =>
  db
    .select({
      accountId: appeals.accountId,
      serverId: appeals.serverId,
      username: appeals.username,
      reason: appeals.reason,
      message: appeals.message,
      status: appeals.status,
      createdAt: appeals.createdAt,
      decidedAt: appeals.decidedAt,
    })
    .from(appeals)
    .where(eq(appeals.platformId, platformId))
    .orderBy(desc(appeals.createdAt), desc(appeals.id));

/** The hashes themselves tell nobody anything; that they are kept, and until when, does. */
export const listTracesOf = (db: Queryable, platformId: string) =>
  db
    .select({
      accountId: traces.accountId,
      serverId: traces.serverId,
      kind: traces.kind,
      expiresAt: traces.expiresAt,
    })
    .from(traces)
    .where(and(eq(traces.platformId, platformId), gt(traces.expiresAt, sql`now()`)))
    .orderBy(traces.expiresAt, traces.id);

export const listPassagesOf = (db: Queryable, platformId: string) =>
  db
    .select({
      accountId: passages.accountId,
      serverId: passages.serverId,
      username: passages.username,
      displayName: passages.displayName,
      outcome: passages.outcome,
      blockReason: passages.blockReason,
      expiresAt: passages.expiresAt,
    })
    .from(passages)
    .where(eq(passages.platformId, platformId))
    .orderBy(passages.expiresAt, passages.id);

/**
 * First of all that is erased: whoever is being let in at this moment holds their passage, so either
 * all they become is there to be erased, or they do not get in.
 */
export const deletePassagesOf = (tx: Transaction, platformId: string) =>
  tx
    .delete(passages)
    .where(eq(passages.platformId, platformId))
    .returning({ accountId: passages.accountId });

export const deleteTracesOf = (tx: Transaction, platformId: string) =>
  tx.delete(traces).where(eq(traces.platformId, platformId)).returning({ accountId: traces.accountId });

export const deleteAppealsOf = (tx: Transaction, platformId: string) =>
  tx
    .delete(appeals)
    .where(eq(appeals.platformId, platformId))
    .returning({ accountId: appeals.accountId });

export const deleteGrantsOf = async (tx: Transaction, memberIds: string[]): Promise<void> => {
  if (memberIds.length > 0) await tx.delete(grants).where(inArray(grants.memberId, memberIds));
};

/** Those not decided yet hold tokens too; who was on the way in begins again. */
export const deletePassagesThrough = async (
  tx: Transaction,
  { botId, platformId }: { botId: string; platformId: string },
): Promise<void> => {
  await tx
    .delete(passages)
    .where(
      and(eq(passages.botId, botId), eq(passages.platformId, platformId), isNull(passages.outcome)),
    );
};

/** By its id alone: the platform speaks, and proves by its signature that it does. */
export const findSigningBot = async (db: Queryable, botId: string) => {
  const [bot] = await db
    .select({ botId: bots.id, accountId: bots.accountId, publicKey: bots.publicKey })
    .from(bots)
    .where(eq(bots.id, botId));
  return bot;
};

import { and, eq, exists, or, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { accounts } from '../accounts/table.ts';
import { blobs } from '../backups/table.ts';
import { apiKeys } from '../keys/table.ts';
import { servers } from '../servers/table.ts';
import { sessions } from '../sessions/table.ts';
import { memberTokens } from '../vault/table.ts';

/** The ids of the account's keys and of its person's sessions. */
export const selectCallers = (
  tx: Transaction,
  { accountId, platformId }: { accountId: string; platformId: string },
) =>
  unionAll(
    tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.accountId, accountId)),
    tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.platformId, platformId)),
  );

/** The servers of a deleted account that are not purged yet. */
export const listRemainingServers = (db: Queryable, accountId: string) =>
  db.select({ id: servers.id }).from(servers).where(eq(servers.accountId, accountId));

export const listTokenOwners = (db: Queryable, accountId: string, limit: number) =>
  db
    .select({ platformId: memberTokens.platformId, botId: memberTokens.botId })
    .from(memberTokens)
    .where(eq(memberTokens.accountId, accountId))
    .limit(limit);

/** Whether servers are still being purged, objects deleted or tokens revoked. */
export const hasRemainingData = async (db: Queryable, accountId: string): Promise<boolean> => {
  const remaining = [servers, blobs, memberTokens].map((table) =>
    exists(db.select({ one: sql`1` }).from(table).where(eq(table.accountId, accountId))),
  );
  const found = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), or(...remaining)));
  return found.length > 0;
};

import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { type Database, markChanged, type Queryable } from '../../../db/connect.ts';
import { batchedRead } from '../../../db/queries/batched-read.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { accounts } from '../../accounts/table.ts';
import { isLive } from '../queries.ts';
import { apiKeys } from '../table.ts';

const { id, scopes, lastUsedAt, expiresAt } = apiKeys;

const liveKeyByHash = batchedRead({ hash: 'text' }, (db) =>
  db
    .select({
      id: apiKeys.id,
      accountId: apiKeys.accountId,
      plan: accounts.plan,
      scopes,
      expiresAt,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(and(eq(apiKeys.hash, sql.placeholder('hash')), isLive)),
);

export const findLiveKey = (db: Database, hash: string) => firstRow(liveKeyByHash(db, { hash }));

/** Stores the last use of a key, to the minute: a busy key costs one write a minute. */
export const touchKey = async (db: Queryable, keyId: string) => {
  const isStale = or(isNull(lastUsedAt), lt(lastUsedAt, sql`now() - interval '1 minute'`));
  const touched = await db
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(id, keyId), isStale))
    .returning({ accountId: apiKeys.accountId });
  for (const owner of touched) markChanged(db, owner, 'keys');
};

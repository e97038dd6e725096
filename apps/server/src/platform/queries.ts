import { gt, lt, sql, sum } from 'drizzle-orm';
import type { Database, Transaction } from '../db/connect.ts';
import type { RefusalStore } from './client/breaker.ts';
import { platformRefusals } from './table.ts';

const { accountId, at, total } = platformRefusals;
const tenMinutesAgo = sql`now() - interval '10 minutes'`;
const thisBucket = sql<Date>`to_timestamp(floor(extract(epoch from now()) / 10) * 10)`;
/** Stored for calls without an account. */
const noAccount = '00000000-0000-0000-0000-000000000000';

type Refusals = ReadonlyMap<string | undefined, number>;

/** The counts of all processes over one database, by the database's clock. */
export const refusalsIn = (db: Database): RefusalStore => ({
  async exchange(own) {
    if (own.size > 0) await db.transaction((tx) => add(tx, own));
    const rows = await db
      .select({ accountId, total: sum(total).mapWith(Number) })
      .from(platformRefusals)
      .where(gt(at, tenMinutesAgo))
      .groupBy(accountId);
    return new Map(
      rows.map((row) => [row.accountId === noAccount ? undefined : row.accountId, row.total]),
    );
  },
});

/** In the order of ids, so that two processes cannot deadlock. */
const add = async (tx: Transaction, own: Refusals): Promise<void> => {
  await tx.delete(platformRefusals).where(lt(at, tenMinutesAgo));
  const rows = [...own]
    .map(([account, count]) => ({ accountId: account ?? noAccount, at: thisBucket, total: count }))
    .toSorted((one, other) => (one.accountId < other.accountId ? -1 : 1));
  await tx
    .insert(platformRefusals)
    .values(rows)
    .onConflictDoUpdate({
      target: [accountId, at],
      set: { total: sql`${total} + excluded.total` },
    });
};

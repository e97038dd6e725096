import { gt, lt, sql, sum } from 'drizzle-orm';
import type { Database, Transaction } from '../db/connect.ts';
import type { RefusalStore, Refusals } from './client/shared-refusals.ts';
import { platformRefusals } from './table.ts';

const { accountId, at, total, urgent } = platformRefusals;
const tenMinutesAgo = sql`now() - interval '10 minutes'`;
const thisBucket = sql<Date>`to_timestamp(floor(extract(epoch from now()) / 10) * 10)`;
/** Stored for calls without an account. */
const noAccount = '00000000-0000-0000-0000-000000000000';

/** The counts of all processes over one database, by the database's clock. */
export const refusalsIn = (db: Database): RefusalStore => ({
  async exchange(own) {
    if (own.length > 0) await db.transaction((tx) => add(tx, own));
    const rows = await db
      .select({
        accountId,
        usual: sum(total).mapWith(Number),
        urgent: sum(urgent).mapWith(Number),
      })
      .from(platformRefusals)
      .where(gt(at, tenMinutesAgo))
      .groupBy(accountId);
    return rows.map((row) => ({
      ...row,
      accountId: row.accountId === noAccount ? undefined : row.accountId,
    }));
  },
});

/** In the order of ids, so that two processes cannot deadlock. */
const add = async (tx: Transaction, own: readonly Refusals[]): Promise<void> => {
  await tx.delete(platformRefusals).where(lt(at, tenMinutesAgo));
  const rows = own
    .map(({ accountId: account = noAccount, usual, urgent: fromReserve }) => ({
      ...{ accountId: account, at: thisBucket, total: usual, urgent: fromReserve },
    }))
    .toSorted((one, other) => (one.accountId < other.accountId ? -1 : 1));
  await tx
    .insert(platformRefusals)
    .values(rows)
    .onConflictDoUpdate({
      target: [accountId, at],
      set: {
        total: sql`${total} + excluded.total`,
        urgent: sql`${urgent} + excluded.urgent`,
      },
    });
};

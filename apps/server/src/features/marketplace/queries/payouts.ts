import { and, eq } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { countRows } from '../../../db/queries/list-page.ts';
import { payouts } from '../table.ts';

const { id, accountId, amountCents, currency, status, createdAt } = payouts;
const payoutFields = { id, accountId, amountCents, currency, status, createdAt };

export const insertPayout = async (
  tx: Transaction,
  row: Pick<typeof payouts.$inferInsert, 'id' | 'accountId' | 'amountCents' | 'currency'>,
) => {
  const [payout] = await tx.insert(payouts).values(row).returning(payoutFields);
  if (!payout) throw new Error('The payout was not stored');
  return payout;
};

/** Undefined where it does not exist or is paid already. */
export const markPayoutPaid = async (tx: Transaction, payoutId: string, paidAt: Date) => {
  const [payout] = await tx
    .update(payouts)
    .set({ status: 'PAID', paidAt })
    .where(and(eq(id, payoutId), eq(status, 'PENDING')))
    .returning(payoutFields);
  return payout;
};

export const countPendingPayouts = (db: Queryable, ofAccount: string): Promise<number> =>
  countRows(db, payouts, and(eq(accountId, ofAccount), eq(status, 'PENDING')));

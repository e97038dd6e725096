import { eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { accounts } from '../../accounts/table.ts';
import { billingNotices, subscriptions } from '../table.ts';

export type NewNotice = Pick<
  typeof billingNotices.$inferInsert,
  'kind' | 'subject' | 'accountId' | 'subscriptionId'
>;

/** Undefined where a notice about this subject exists. */
export const insertNotice = async (tx: Transaction, notice: NewNotice) => {
  const [inserted] = await tx
    .insert(billingNotices)
    .values({ id: newId(), ...notice })
    .onConflictDoNothing()
    .returning({ id: billingNotices.id });
  return inserted?.id;
};

/** The notice with everything that its mail needs. */
export const findNotice = async (db: Queryable, noticeId: string) => {
  const { sentAt, accountId, subscriptionId } = billingNotices;
  const [notice] = await db
    .select({
      sentAt,
      email: accounts.email,
      username: accounts.username,
      displayName: accounts.displayName,
      facts: subscriptions.facts,
    })
    .from(billingNotices)
    .innerJoin(accounts, eq(accounts.id, accountId))
    .innerJoin(subscriptions, eq(subscriptions.id, subscriptionId))
    .where(eq(billingNotices.id, noticeId));
  return notice;
};

export const markSent = async (db: Queryable, noticeId: string): Promise<void> => {
  await db
    .update(billingNotices)
    .set({ sentAt: sql`now()` })
    .where(eq(billingNotices.id, noticeId));
};

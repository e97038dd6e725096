import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { preparedStep } from '../../../db/prepared-step.ts';
import { billingCustomers } from '../table.ts';

const { customerId, accountId } = billingCustomers;

const customerHeld = preparedStep<{ accountId: string | null }>(['accountId'], (tx) =>
  tx
    .select({ accountId })
    .from(billingCustomers)
    .where(eq(customerId, sql.placeholder('customerId')))
    .for('update'),
);

/** Whose it is, if that is known. Held: of one customer nothing is linked and nothing added meanwhile. */
export const lockCustomer = async (
  tx: Transaction,
  wanted: string,
): Promise<{ accountId: string | null }> => {
  const [held] = await customerHeld(tx, { customerId: wanted });
  return held ?? insertCustomer(tx, wanted);
};

const insertCustomer = async (
  tx: Transaction,
  wanted: string,
): Promise<{ accountId: string | null }> => {
  const [customer] = await tx
    .insert(billingCustomers)
    .values({ customerId: wanted })
    .onConflictDoUpdate({ target: customerId, set: { customerId: wanted } })
    .returning({ accountId });
  if (!customer) throw new Error('The customer could not be stored');
  return customer;
};

/** Once known it stays: no later checkout gives a customer to somebody else. */
export const nameCustomer = async (
  tx: Transaction,
  wanted: string,
  owner: string,
): Promise<void> => {
  await tx
    .update(billingCustomers)
    .set({ accountId: owner })
    .where(and(eq(customerId, wanted), isNull(accountId)));
};

export const findUserOfCustomer = async (db: Queryable, wanted: string): Promise<string | null> => {
  const [found] = await db.select({ accountId }).from(billingCustomers).where(eq(customerId, wanted));
  return found?.accountId ?? null;
};

import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { preparedStep } from '../../../db/prepared.ts';
import { billingCustomers, billingInvoices, billingNotices, subscriptions } from '../table.ts';

const { customerId, accountId } = billingCustomers;

type Customer = { accountId: string | null };

const lockCustomerStatement = preparedStep<Customer>(['accountId'], (tx) =>
  tx
    .select({ accountId })
    .from(billingCustomers)
    .where(eq(customerId, sql.placeholder('customerId')))
    .for('update'),
);

/** Under this lock nothing is linked or added to the customer. Inserts the customer if need be. */
export const lockCustomer = async (tx: Transaction, id: string): Promise<Customer> => {
  const [customer] = await lockCustomerStatement(tx, { customerId: id });
  return customer ?? insertCustomer(tx, id);
};

const insertCustomer = async (tx: Transaction, id: string): Promise<Customer> => {
  const [customer] = await tx
    .insert(billingCustomers)
    .values({ customerId: id })
    .onConflictDoUpdate({ target: customerId, set: { customerId: id } })
    .returning({ accountId });
  if (!customer) throw new Error('The customer could not be stored');
  return customer;
};

/** For good: no later checkout gives the customer to another account. */
export const assignCustomer = async (tx: Transaction, id: string, ownerId: string) => {
  await tx
    .update(billingCustomers)
    .set({ accountId: ownerId })
    .where(and(eq(customerId, id), isNull(accountId)));
};

export const findAccountOfCustomer = async (db: Queryable, id: string): Promise<string | null> => {
  const [customer] = await db
    .select({ accountId })
    .from(billingCustomers)
    .where(eq(customerId, id));
  return customer?.accountId ?? null;
};

/** The newest, if checkouts have made several. */
export const findCustomer = async (db: Queryable, ownerId: string): Promise<string | undefined> => {
  const [customer] = await db
    .select({ customerId })
    .from(billingCustomers)
    .where(eq(accountId, ownerId))
    .orderBy(desc(billingCustomers.createdAt), desc(customerId))
    .limit(1);
  return customer?.customerId;
};

/** Removes what links a deleted account to its person at the providers, and mails that were not sent. */
export const eraseBillingLinks = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx
    .update(billingCustomers)
    .set({ accountId: null })
    .where(eq(billingCustomers.accountId, accountId));
  await tx
    .update(subscriptions)
    .set({ customerId: null })
    .where(eq(subscriptions.accountId, accountId));
  await tx
    .update(billingInvoices)
    .set({ payUrl: null })
    .where(eq(billingInvoices.accountId, accountId));
  await tx
    .delete(billingNotices)
    .where(and(eq(billingNotices.accountId, accountId), isNull(billingNotices.sentAt)));
};

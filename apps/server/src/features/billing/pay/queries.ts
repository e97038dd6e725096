import { and, count, desc, eq, gt, isNull } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { billingCustomers, billingInvoices } from '../table.ts';

export type NewInvoice = Omit<typeof billingInvoices.$inferInsert, 'createdAt'>;

export const insertInvoice = async (tx: Transaction, invoice: NewInvoice): Promise<void> => {
  await tx.insert(billingInvoices).values(invoice);
};

/** How many somebody could still pay. */
export const countPayable = async (db: Queryable, accountId: string, now: Date): Promise<number> => {
  const [counted] = await db
    .select({ invoices: count() })
    .from(billingInvoices)
    .where(
      and(
        eq(billingInvoices.accountId, accountId),
        isNull(billingInvoices.paidAt),
        gt(billingInvoices.expiresAt, now),
      ),
    );
  return counted?.invoices ?? 0;
};

/** The newest, where checkouts have made several. */
export const findCustomerOf = async (
  db: Queryable,
  accountId: string,
): Promise<string | undefined> => {
  const [customer] = await db
    .select({ id: billingCustomers.customerId })
    .from(billingCustomers)
    .where(eq(billingCustomers.accountId, accountId))
    .orderBy(desc(billingCustomers.createdAt), desc(billingCustomers.customerId))
    .limit(1);
  return customer?.id;
};

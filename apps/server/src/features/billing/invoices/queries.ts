import { and, asc, eq, isNull, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { billingInvoices } from '../table.ts';

const { id, accountId, plan, payWith, amountCents, currency, paidAt } = billingInvoices;
const heldFields = { id, accountId, plan, payWith, amountCents, currency, paidAt };

export const lockInvoice = async (tx: Transaction, invoiceId: string) => {
  const [invoice] = await tx
    .select(heldFields)
    .from(billingInvoices)
    .where(eq(id, invoiceId))
    .for('update');
  return invoice;
};

/** Once only; one that is gone meanwhile is none to pay. */
export const markPaid = async (
  tx: Transaction,
  invoice: { invoiceId: string; accountId: string },
): Promise<void> => {
  await tx
    .update(billingInvoices)
    .set({ paidAt: sql`now()` })
    .where(and(eq(id, invoice.invoiceId), eq(accountId, invoice.accountId), isNull(paidAt)));
};

/** Whether there was one to remove: what was paid stays. */
export const removePending = async (
  tx: Transaction,
  invoice: { id: string; accountId: string },
): Promise<boolean> => {
  const removed = await tx
    .delete(billingInvoices)
    .where(and(eq(id, invoice.id), eq(accountId, invoice.accountId), isNull(paidAt)))
    .returning({ id });
  return removed.length > 0;
};

export const listExpired = (db: Queryable, before: Date, most: number) =>
  db
    .select({ id, accountId })
    .from(billingInvoices)
    .where(and(lt(billingInvoices.expiresAt, before), isNull(paidAt)))
    .orderBy(asc(billingInvoices.expiresAt))
    .limit(most);

import { and, asc, eq, gt, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { countRows } from '../../../db/queries/list-page.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { billingInvoices } from '../table.ts';

const { id, accountId, plan, payWith, amountCents, currency, expiresAt, paidAt } = billingInvoices;

export type NewInvoice = Omit<typeof billingInvoices.$inferInsert, 'createdAt'>;

type InvoiceOwner = { id: string; accountId: string };

const isPending = (invoice: InvoiceOwner) =>
  and(eq(id, invoice.id), eq(accountId, invoice.accountId), isNull(paidAt));

export const insertInvoice = async (tx: Transaction, invoice: NewInvoice): Promise<void> => {
  await tx.insert(billingInvoices).values(invoice);
};

/** How many invoices of an account can still be paid. */
export const countPayableInvoices = (db: Queryable, ownerId: string, now: Date): Promise<number> =>
  countRows(db, billingInvoices, and(eq(accountId, ownerId), isNull(paidAt), gt(expiresAt, now)));

/** For the page after paying, which anybody with its id may see. */
export const findInvoice = (db: Queryable, invoiceId: string) =>
  firstRow(
    db
      .select({ plan, payWith, amountCents, currency, paidAt })
      .from(billingInvoices)
      .where(eq(id, invoiceId)),
  );

export const lockInvoice = async (tx: Transaction, invoiceId: string) => {
  const [invoice] = await tx
    .select({ id, accountId, plan, payWith, amountCents, currency, paidAt })
    .from(billingInvoices)
    .where(eq(id, invoiceId))
    .for('update');
  return invoice;
};

/** Changes nothing if the invoice is paid or deleted by now. */
export const markInvoicePaid = async (tx: Transaction, invoice: InvoiceOwner): Promise<void> => {
  await tx.update(billingInvoices).set({ paidAt: sql`now()` }).where(isPending(invoice));
};

/** False where it is paid, or its payment is awaited already: then it has no page to pay at any more. */
export const awaitInvoicePayment = (tx: Transaction, invoice: InvoiceOwner, until: Date) =>
  hasRows(
    tx
      .update(billingInvoices)
      .set({ expiresAt: until, payUrl: null })
      .where(and(isPending(invoice), isNotNull(billingInvoices.payUrl)))
      .returning({ id }),
  );

/** False where it is paid, and so stays, or deleted already. */
export const deletePendingInvoice = (tx: Transaction, invoice: InvoiceOwner) =>
  hasRows(tx.delete(billingInvoices).where(isPending(invoice)).returning({ id }));

export const listExpiredInvoices = (db: Queryable, before: Date, limit: number) =>
  db
    .select({ id, accountId })
    .from(billingInvoices)
    .where(and(lt(expiresAt, before), isNull(paidAt)))
    .orderBy(asc(expiresAt))
    .limit(limit);

/** Card checkouts of an account's plans that could still be paid. */
export const listOpenCheckouts = (tx: Transaction, ownerId: string) =>
  tx
    .select({ checkoutRef: sql<string>`${billingInvoices.providerRef}` })
    .from(billingInvoices)
    .where(
      and(
        ...[eq(accountId, ownerId), eq(payWith, 'CARD')],
        ...[isNull(paidAt), isNotNull(billingInvoices.providerRef)],
      ),
    );

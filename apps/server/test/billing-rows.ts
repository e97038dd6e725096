import { eq } from 'drizzle-orm';
import { billingInvoices } from '../src/features/billing/table.ts';
import { accounts } from '../src/features/accounts/table.ts';
import type { OwnTenant } from './harness.ts';

/** The account's only invoice, paid or not. */
export const findInvoiceOf = async ({ db, accountId }: OwnTenant) => {
  const [invoice] = await db
    .select()
    .from(billingInvoices)
    .where(eq(billingInvoices.accountId, accountId));
  return invoice;
};

/** As the platform would have told them at sign-in. */
export const tellContact = async (
  { db, accountId }: OwnTenant,
  contact: { email: string; displayName?: string },
): Promise<void> => {
  await db.update(accounts).set(contact).where(eq(accounts.id, accountId));
};

import { eq } from 'drizzle-orm';
import { billingInvoices } from '../src/features/billing/table.ts';
import { users } from '../src/features/users/table.ts';
import type { OwnTenant } from './harness.ts';

/** The account's only invoice, paid or not. */
export const findInvoiceOf = async ({ db, userId }: OwnTenant) => {
  const [invoice] = await db
    .select()
    .from(billingInvoices)
    .where(eq(billingInvoices.userId, userId));
  return invoice;
};

/** As the platform would have told them at sign-in. */
export const tellContact = async (
  { db, userId }: OwnTenant,
  contact: { email: string; displayName?: string },
): Promise<void> => {
  await db.update(users).set(contact).where(eq(users.id, userId));
};

import { expect } from 'bun:test';
import { eq } from 'drizzle-orm';
import { accounts } from '../../../src/features/accounts/table.ts';
import { billingInvoices } from '../../../src/features/billing/table.ts';
import type { OwnTenant, Tenant, TestService } from '../service.ts';
import { accountOf, cardSubscription, eventsOf, sendRaw } from './events.ts';

type Customer = [
  OwnTenant,
  ReturnType<typeof cardSubscription>,
  /** Sends an event, which must be accepted. */
  (event: object) => Promise<void>,
];

/** An account on the free plan, and a subscription of which no event was sent yet. */
export const newCustomer = async (service: TestService): Promise<Customer> => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const take = async (event: object) => {
    const reply = await sendRaw(service, JSON.stringify(event));
    expect([reply.status, reply.text]).toEqual([200, '{"data":{"received":true}}']);
  };
  return [tenant, cardSubscription(tenant.accountId), take];
};

/** The account's plan, and the status and plan of its subscription. */
export const planAndStatusOf = async (tenant: Tenant) => {
  const { plan, subscription } = await accountOf(tenant);
  return { plan, status: subscription.status, given: subscription.plan };
};

/** Of all events of the account, newest first. */
export const outcomesOf = async (tenant: Tenant): Promise<string[]> =>
  (await eventsOf(tenant)).map(({ outcome }: { outcome: string }) => outcome);

export const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The account's only invoice, paid or not. */
export const findInvoiceOf = async ({ db, accountId }: OwnTenant) => {
  const [invoice] = await db
    .select()
    .from(billingInvoices)
    .where(eq(billingInvoices.accountId, accountId));
  return invoice;
};

/** Sets the contact that a sign-in would store. */
export const setContact = async (
  { db, accountId }: OwnTenant,
  contact: { email: string; displayName?: string },
): Promise<void> => {
  await db.update(accounts).set(contact).where(eq(accounts.id, accountId));
};

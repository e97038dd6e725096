import { expect } from 'bun:test';
import { accountOf, cardSubscription, eventsOf, sendRaw } from './billing-scene.ts';
import type { OwnTenant, Tenant, TestService } from './harness.ts';

type Customer = [
  OwnTenant,
  ReturnType<typeof cardSubscription>,
  /** Sends an event, which must be taken. */
  (event: object) => Promise<void>,
];

/** An account without a plan, with a subscription that nobody has told of yet. */
export const newCustomerOf = async (service: TestService): Promise<Customer> => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const take = async (event: object) => {
    const reply = await sendRaw(service, JSON.stringify(event));
    expect([reply.status, reply.text]).toEqual([200, '{"data":{"received":true}}']);
  };
  return [tenant, cardSubscription(tenant.accountId), take];
};

/** The account's plan, and how the subscription stands that it shows. */
export const standingOf = async (tenant: Tenant) => {
  const { plan, subscription } = await accountOf(tenant);
  return { plan, status: subscription.status, given: subscription.plan };
};

/** Of all events of the account, newest first. */
export const outcomesOf = async (tenant: Tenant): Promise<string[]> =>
  (await eventsOf(tenant)).map(({ outcome }: { outcome: string }) => outcome);

export const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  dateOf,
  newCustomer,
  outcomesOf,
  planAndStatusOf,
} from '../../../../test/harness/billing/customer.ts';
import {
  accountOf,
  cardEvent,
  cardSubscription,
  eventsOf,
  newRef,
  nowSeconds,
} from '../../../../test/harness/billing/events.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { setPlan } from '../../accounts/queries.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const createCustomer = () => newCustomer(service);
const t = nowSeconds() - 1000;

describe('the account of an event', () => {
  test('is set by the checkout, and events that came before it count from then on', async () => {
    const [tenant, subscription, take] = await createCustomer();
    const early = [
      subscription.update('BUSINESS', t + 2),
      subscription.payment(t + 4_000_000, t + 3),
    ];
    for (const event of early) await take(event);
    expect(await accountOf(tenant)).toMatchObject({ plan: 'FREE' });
    expect(await eventsOf(tenant)).toEqual([]);
    const checkout = subscription.checkout('PREMIUM', t);
    await take(checkout);
    const account = await accountOf(tenant);
    expect(account.plan).toBe('BUSINESS');
    expect(account.subscription.status).toBe('ACTIVE');
    expect(await outcomesOf(tenant)).toEqual(['APPLIED', 'APPLIED', 'APPLIED']);
    const attached = (await auditOf(tenant)).data.find(
      ({ action }: { action: string }) => action === 'subscription.attach',
    );
    expect(new Set(attached.changes.events)).toEqual(
      new Set([...early, checkout].map(({ id }) => id)),
    );
  });

  test('is named by metadata.userId without a client_reference_id', async () => {
    const [tenant, subscription, take] = await createCustomer();
    const metadata = { plan: 'PREMIUM', userId: tenant.accountId };
    await take(subscription.checkout('', t, { client_reference_id: null, metadata }));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'PREMIUM' });
  });

  test('is found by the customer, also for a second subscription that came first', async () => {
    const [tenant, first, take] = await createCustomer();
    const second = cardSubscription(tenant.accountId, { customer: first.customer });
    await take(second.update('BUSINESS', t));
    await take(first.checkout('PREMIUM', t + 1));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
    const third = cardSubscription(tenant.accountId, { customer: first.customer });
    await take(third.update('ENTERPRISE', t + 2));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
  });

  test('is unknown when the checkout names no account of ours; the event is recorded', async () => {
    const [, , take] = await createCustomer();
    for (const stranger of [crypto.randomUUID(), 'x', "'; drop table accounts", '\u0000']) {
      const event = cardSubscription(stranger).checkout('PREMIUM', t);
      await take(event);
      const logged = service.logLines.filter((line) => line.includes(event.id));
      expect(logged.map((line) => JSON.parse(line).outcome)).toEqual(['UNMATCHED']);
    }
  });

  test('is the only one that sees it', async () => {
    const [tenant, subscription, take] = await createCustomer();
    await take(subscription.checkout('PREMIUM', t));
    const other = await service.newTenant();
    expect(await eventsOf(tenant)).toHaveLength(1);
    expect(await eventsOf(other)).toEqual([]);
  });
});

describe('the plan', () => {
  test.each([
    ['metadata, in any case', { metadata: { plan: 'enterprise' } }, 'ENTERPRISE'],
    [
      'the list of prices',
      {
        metadata: {},
        items: { data: [{ price: { id: 'price_business', lookup_key: 'premium' } }] },
      },
      'BUSINESS',
    ],
    [
      'the old form of a price',
      { metadata: null, items: { data: [{ plan: { id: 'price_business' } }] } },
      'BUSINESS',
    ],
    [
      'the lookup key of the price',
      { metadata: {}, items: { data: [{ price: { id: 'price_x', lookup_key: 'premium' } }] } },
      'PREMIUM',
    ],
    [
      'the earlier events, if nothing else names it',
      { metadata: {}, items: { data: [{ price: { id: '__proto__' } }] } },
      'PREMIUM',
    ],
  ])('is found by %s', async (_, more, plan) => {
    const [tenant, subscription, take] = await createCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.update('', t + 1, more));
    expect(await accountOf(tenant)).toMatchObject({ plan });
  });

  test('is the highest of several live subscriptions', async () => {
    const [tenant, low, take] = await createCustomer();
    const high = cardSubscription(tenant.accountId);
    await take(low.checkout('PREMIUM', t));
    await take(high.checkout('ENTERPRISE', t));
    expect(await planAndStatusOf(tenant)).toMatchObject({
      plan: 'ENTERPRISE',
      given: 'ENTERPRISE',
    });
    await take(low.update('BUSINESS', t + 1));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
    await take(high.deletion(t + 1));
    expect(await planAndStatusOf(tenant)).toMatchObject({ plan: 'BUSINESS', given: 'BUSINESS' });
    await take(low.deletion(t + 2));
    expect(await planAndStatusOf(tenant)).toMatchObject({ plan: 'FREE', given: 'FREE' });
  });

  test('that the operator set holds until an event changes it', async () => {
    const [tenant, subscription, take] = await createCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await service.db.transaction((tx) => setPlan(tx, tenant.accountId, 'ENTERPRISE'));
    await take(subscription.update('PREMIUM', t + 1));
    await take(subscription.payment(t + 5_000_000, t + 2));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
    await take(subscription.update('BUSINESS', t + 3));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
  });
});

describe('old payloads', () => {
  test('name the period and the subscription in their old places', async () => {
    const [tenant, { id, customer, checkout }, take] = await createCustomer();
    await take(checkout('PREMIUM', t));
    const old = { id, customer, status: 'active', metadata: { plan: 'BUSINESS' } };
    await take(
      cardEvent('customer.subscription.updated', { ...old, current_period_end: t + 77 }, t + 1),
    );
    expect((await accountOf(tenant)).subscription).toMatchObject({
      ...{ plan: 'BUSINESS', currentPeriodEnd: dateOf(t + 77) },
    });
    const lines = { data: [{ period: { end: t + 3_000_000 } }] };
    const paid = { id: newRef('in'), customer, subscription: id, lines, period_end: t };
    await take(cardEvent('invoice.payment_succeeded', paid, t + 2));
    expect((await accountOf(tenant)).subscription.currentPeriodEnd).toBe(dateOf(t + 3_000_000));
    await take(
      cardEvent('invoice.payment_failed', { ...paid, subscription: { id }, lines: null }, t + 3),
    );
    expect((await accountOf(tenant)).subscription.status).toBe('PAST_DUE');
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/audit-entries.ts';
import {
  dateOf,
  newCustomerOf,
  outcomesOf,
  standingOf,
} from '../../../../test/billing-customer.ts';
import {
  accountOf,
  cardEvent,
  cardSubscription,
  eventsOf,
  newRef,
  nowSeconds,
} from '../../../../test/billing-scene.ts';
import { startTestService, type TestService } from '../../../../test/harness.ts';
import { setPlan } from '../../accounts/queries.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const newCustomer = () => newCustomerOf(service);
const t = nowSeconds() - 1000;

describe('whose an event is', () => {
  test('what comes before the checkout waits for it, and counts when it arrives', async () => {
    const [tenant, subscription, take] = await newCustomer();
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

  test('is told by metadata.accountId where there is no client_reference_id', async () => {
    const [tenant, subscription, take] = await newCustomer();
    const metadata = { plan: 'PREMIUM', accountId: tenant.accountId };
    await take(subscription.checkout('', t, { client_reference_id: null, metadata }));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'PREMIUM' });
  });

  test('is known by the customer, also for a second subscription that came first', async () => {
    const [tenant, first, take] = await newCustomer();
    const second = cardSubscription(tenant.accountId, { customer: first.customer });
    await take(second.update('BUSINESS', t));
    await take(first.checkout('PREMIUM', t + 1));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
    const third = cardSubscription(tenant.accountId, { customer: first.customer });
    await take(third.update('ENTERPRISE', t + 2));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
  });

  test('is nobody’s where the checkout names somebody we do not know; it is recorded', async () => {
    const [, , take] = await newCustomer();
    for (const stranger of [crypto.randomUUID(), 'x', "'; drop table accounts", '\u0000']) {
      const event = cardSubscription(stranger).checkout('PREMIUM', t);
      await take(event);
      const told = service.logLines.filter((line) => line.includes(event.id));
      expect(told.map((line) => JSON.parse(line).outcome)).toEqual(['UNMATCHED']);
    }
  });

  test('no account sees the events of another', async () => {
    const [tenant, subscription, take] = await newCustomer();
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
      'the name of the price before there were prices',
      { metadata: null, items: { data: [{ plan: { id: 'price_business' } }] } },
      'BUSINESS',
    ],
    [
      'the lookup key of the price',
      { metadata: {}, items: { data: [{ price: { id: 'price_x', lookup_key: 'premium' } }] } },
      'PREMIUM',
    ],
    [
      'what was known before, where nothing names one',
      { metadata: {}, items: { data: [{ price: { id: '__proto__' } }] } },
      'PREMIUM',
    ],
  ])('is told by %s', async (_, more, plan) => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.update('', t + 1, more));
    expect(await accountOf(tenant)).toMatchObject({ plan });
  });

  test('is the highest of several subscriptions that live', async () => {
    const [tenant, low, take] = await newCustomer();
    const high = cardSubscription(tenant.accountId);
    await take(low.checkout('PREMIUM', t));
    await take(high.checkout('ENTERPRISE', t));
    expect(await standingOf(tenant)).toMatchObject({ plan: 'ENTERPRISE', given: 'ENTERPRISE' });
    await take(low.update('BUSINESS', t + 1));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
    await take(high.deletion(t + 1));
    expect(await standingOf(tenant)).toMatchObject({ plan: 'BUSINESS', given: 'BUSINESS' });
    await take(low.deletion(t + 2));
    expect(await standingOf(tenant)).toMatchObject({ plan: 'FREE', given: 'FREE' });
  });

  test('that the operator set holds until an event changes it', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await service.db.transaction((tx) => setPlan(tx, tenant.accountId, 'ENTERPRISE'));
    await take(subscription.update('PREMIUM', t + 1));
    await take(subscription.payment(t + 5_000_000, t + 2));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
    await take(subscription.update('BUSINESS', t + 3));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
  });
});

describe('payloads of other years', () => {
  test('name the period and the subscription in their old places', async () => {
    const [tenant, { id, customer, checkout }, take] = await newCustomer();
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

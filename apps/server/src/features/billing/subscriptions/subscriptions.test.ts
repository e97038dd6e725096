import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/audit-entries.ts';
import {
  accountOf,
  cardEvent,
  cardSubscription,
  eventsOf,
  newRef,
  nowSeconds,
  sendCard,
  sendRaw,
} from '../../../../test/billing-scene.ts';
import {
  type OwnTenant,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness.ts';
import { setPlan } from '../../users/queries.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const newCustomer = async (): Promise<
  [OwnTenant, ReturnType<typeof cardSubscription>, (event: object) => Promise<void>]
> => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const take = async (event: object) => {
    const reply = await sendRaw(service, JSON.stringify(event));
    expect([reply.status, reply.text]).toEqual([200, '{"data":{"received":true}}']);
  };
  return [tenant, cardSubscription(tenant.userId), take];
};

const standing = async (tenant: Tenant) => {
  const { plan, subscription, limits } = await accountOf(tenant);
  return { plan, status: subscription.status, given: subscription.plan, limits };
};

const outcomesOf = async (tenant: Tenant): Promise<string[]> =>
  (await eventsOf(tenant)).map(({ outcome }: { outcome: string }) => outcome);

const t = nowSeconds() - 1000;
const dateOf = (seconds: number) => new Date(seconds * 1000).toISOString();

describe('the life of a subscription', () => {
  test('a checkout attaches it, and the plan with all its limits is there', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    const { plan, limits, subscription: shown } = await accountOf(tenant);
    expect(plan).toBe('PREMIUM');
    expect(limits).toMatchObject({ maxServers: 5, hasFirewall: true });
    expect(shown).toEqual({
      ...{ plan: 'PREMIUM', status: 'ACTIVE', isTrial: false },
      ...{ currentPeriodEnd: dateOf(t + 30 * 86_400), trialEndsAt: null, cancelledAt: null },
    });
    const audit = (await auditOf(tenant)).data;
    expect(audit.slice(0, 2)).toMatchObject([
      { action: 'subscription.attach', actor: { type: 'BILLING', id: null } },
      {
        action: 'plan.change',
        actor: { type: 'BILLING', id: null },
        subject: { type: 'user', id: tenant.userId },
        changes: { plan: { from: 'FREE', to: 'PREMIUM' } },
      },
    ]);
  });

  test('an update moves it up or down at once, and tells its period and trial', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.update('ENTERPRISE', t + 1));
    expect(await standing(tenant)).toMatchObject({ plan: 'ENTERPRISE', status: 'ACTIVE' });
    const trial = { status: 'trialing', trial_end: t + 86_400, current_period_end: t + 86_400 };
    await take(subscription.update('BUSINESS', t + 2, { items: undefined, ...trial }));
    expect((await accountOf(tenant)).subscription).toEqual({
      ...{ plan: 'BUSINESS', status: 'TRIALING', isTrial: true, cancelledAt: null },
      ...{ trialEndsAt: dateOf(t + 86_400), currentPeriodEnd: dateOf(t + 86_400) },
    });
  });

  test.each([
    ['active', 'ACTIVE', 'PREMIUM'],
    ['trialing', 'TRIALING', 'PREMIUM'],
    ['past_due', 'PAST_DUE', 'PREMIUM'],
    ['unpaid', 'PAST_DUE', 'PREMIUM'],
    ['canceled', 'CANCELLED', 'FREE'],
    ['incomplete', 'INCOMPLETE', 'FREE'],
    ['incomplete_expired', 'EXPIRED', 'FREE'],
    ['paused', 'EXPIRED', 'FREE'],
  ])('the provider’s %s is %s and gives %s', async (said, status, plan) => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.update('PREMIUM', t + 1, { status: said }));
    expect(await standing(tenant)).toMatchObject({ plan, status, given: plan });
  });

  test('its deletion gives the FREE plan back, and no late update undoes it', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.deletion(t + 5, { canceled_at: t + 4 }));
    await take(subscription.update('ENTERPRISE', t + 3));
    await take(subscription.update('ENTERPRISE', t + 9));
    await take(subscription.payment(t + 99_999, t + 10));
    const account = await accountOf(tenant);
    expect(account.plan).toBe('FREE');
    expect(account.subscription).toMatchObject({
      ...{ plan: 'FREE', status: 'CANCELLED', cancelledAt: dateOf(t + 4) },
    });
  });

  test('one that is to end with its period says so, and lives until then', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    const ending = { cancel_at_period_end: true, canceled_at: t + 7 };
    await take(subscription.update('PREMIUM', t + 8, ending));
    expect((await accountOf(tenant)).subscription).toMatchObject({
      ...{ plan: 'PREMIUM', status: 'ACTIVE', cancelledAt: dateOf(t + 7) },
    });
  });

  test('a payment extends its period, and a late one never shortens it', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.payment(t + 5_000_000, t + 50));
    await take(subscription.payment(t + 2_500_000, t + 20));
    const { currentPeriodEnd } = (await accountOf(tenant)).subscription;
    expect(currentPeriodEnd).toBe(dateOf(t + 5_000_000));
  });

  test('a failed payment flags it and leaves the plan; a payment clears it', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.failure(t + 10));
    expect(await standing(tenant)).toMatchObject({ plan: 'PREMIUM', status: 'PAST_DUE' });
    await take(subscription.payment(t + 5_000_000, t + 20));
    expect(await standing(tenant)).toMatchObject({ plan: 'PREMIUM', status: 'ACTIVE' });
    await take(subscription.failure(t + 15));
    expect(await standing(tenant)).toMatchObject({ plan: 'PREMIUM', status: 'ACTIVE' });
    expect(await outcomesOf(tenant)).toEqual(['IGNORED', 'APPLIED', 'APPLIED', 'APPLIED']);
  });

  test('of two events of one second the later arrival counts, but a deletion wins', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.failure(t));
    expect(await standing(tenant)).toMatchObject({ status: 'PAST_DUE' });
    await take(subscription.update('BUSINESS', t));
    expect(await standing(tenant)).toMatchObject({ status: 'ACTIVE', plan: 'BUSINESS' });
    await take(subscription.update('ENTERPRISE', t));
    expect(await standing(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
    await take(subscription.deletion(t));
    await take(subscription.update('ENTERPRISE', t));
    expect(await standing(tenant)).toMatchObject({ status: 'CANCELLED', plan: 'FREE' });
  });
});

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

  test('is told by metadata.userId where there is no client_reference_id', async () => {
    const [tenant, subscription, take] = await newCustomer();
    const metadata = { plan: 'PREMIUM', userId: tenant.userId };
    await take(subscription.checkout('', t, { client_reference_id: null, metadata }));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'PREMIUM' });
  });

  test('is known by the customer, also for a second subscription that came first', async () => {
    const [tenant, first, take] = await newCustomer();
    const second = cardSubscription(tenant.userId, { customer: first.customer });
    await take(second.update('BUSINESS', t));
    await take(first.checkout('PREMIUM', t + 1));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
    const third = cardSubscription(tenant.userId, { customer: first.customer });
    await take(third.update('ENTERPRISE', t + 2));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
  });

  test('is nobody’s where the checkout names somebody we do not know; it is recorded', async () => {
    const [, , take] = await newCustomer();
    for (const stranger of [crypto.randomUUID(), 'x', "'; drop table users", '\u0000']) {
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
      { metadata: {}, items: { data: [{ price: { id: 'price_business', lookup_key: 'premium' } }] } },
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
    const high = cardSubscription(tenant.userId);
    await take(low.checkout('PREMIUM', t));
    await take(high.checkout('ENTERPRISE', t));
    expect(await standing(tenant)).toMatchObject({ plan: 'ENTERPRISE', given: 'ENTERPRISE' });
    await take(low.update('BUSINESS', t + 1));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
    await take(high.deletion(t + 1));
    expect(await standing(tenant)).toMatchObject({ plan: 'BUSINESS', given: 'BUSINESS' });
    await take(low.deletion(t + 2));
    expect(await standing(tenant)).toMatchObject({ plan: 'FREE', given: 'FREE' });
  });

  test('that the operator set holds until an event changes it', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await service.db.transaction((tx) => setPlan(tx, tenant.userId, 'ENTERPRISE'));
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

describe('an event', () => {
  test('that is repeated, at once or fifty times together, counts once', async () => {
    const [tenant, subscription] = await newCustomer();
    const event = subscription.checkout('PREMIUM', t);
    const replies = await Promise.all(Array.from({ length: 50 }, () => sendCard(service, event)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await sendCard(service, event)).status).toBe(200);
    expect(await eventsOf(tenant)).toHaveLength(1);
    const actions = (await auditOf(tenant)).data.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 2)).toEqual(['subscription.attach', 'plan.change']);
    expect(actions).toHaveLength(3);
  });

  test('of a kind that is not dealt with is taken note of', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(cardEvent('customer.updated', { customer: subscription.customer }));
    await take({ id: newRef('evt'), type: 'ping' });
    await take(cardEvent('constructor', {}));
    expect(await outcomesOf(tenant)).toEqual(['IGNORED', 'APPLIED']);
  });

  test.each([
    ['checkout.session.completed', {}],
    ['checkout.session.completed', { mode: 'subscription', subscription: 7 }],
    ['checkout.session.completed', { mode: 'payment', metadata: { invoiceId: ['x'] } }],
    ['customer.subscription.updated', { id: 'sub_x', status: 'unheard-of' }],
    ['customer.subscription.updated', { id: 'x'.repeat(5000), status: 'active' }],
    ['customer.subscription.deleted', null],
    ['invoice.payment_succeeded', 'text'],
    ['charge.refunded', { id: 'ch_1', amount_refunded: -1, currency: 'usd' }],
    ['charge.refunded', { id: 'ch_1', amount_refunded: 1e300, currency: 'usd' }],
    ['charge.refunded', { id: 'ch_1', amount_refunded: 5, currency: 'usd\u0000' }],
  ])('%s that says nonsense is recorded and harms nobody', async (type, object) => {
    const [, , take] = await newCustomer();
    await take({ id: newRef('evt'), type, created: t, data: { object } });
  });

  test('with times beyond every calendar is taken', async () => {
    const [tenant, subscription, take] = await newCustomer();
    await take(subscription.checkout('PREMIUM', t));
    const wild = { current_period_end: 9e15, trial_end: -5, canceled_at: 1e300, items: null };
    await take(subscription.update('BUSINESS', 9e15, wild));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
  });
});

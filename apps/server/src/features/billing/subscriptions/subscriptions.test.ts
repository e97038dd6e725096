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
  eventsOf,
  newRef,
  nowSeconds,
  sendCard,
} from '../../../../test/harness/billing/events.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const createCustomer = () => newCustomer(service);
const t = nowSeconds() - 1000;

describe('the lifecycle of a subscription', () => {
  test('a checkout attaches it and gives the plan with all its limits', async () => {
    const [tenant, subscription, take] = await createCustomer();
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
        subject: { type: 'user', id: tenant.accountId },
        changes: { plan: { from: 'FREE', to: 'PREMIUM' } },
      },
    ]);
  });

  test('an update changes the plan at once, and sets its period and trial', async () => {
    const [tenant, subscription, take] = await createCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.update('ENTERPRISE', t + 1));
    expect(await planAndStatusOf(tenant)).toMatchObject({ plan: 'ENTERPRISE', status: 'ACTIVE' });
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
    const [tenant, subscription, take] = await createCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.update('PREMIUM', t + 1, { status: said }));
    expect(await planAndStatusOf(tenant)).toMatchObject({ plan, status, given: plan });
  });

  test('its deletion returns the account to FREE, and no late update undoes it', async () => {
    const [tenant, subscription, take] = await createCustomer();
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

  test('a subscription that is cancelled at its period’s end shows it, and gives its plan until then', async () => {
    const [tenant, subscription, take] = await createCustomer();
    await take(subscription.checkout('PREMIUM', t));
    const ending = { cancel_at_period_end: true, canceled_at: t + 7 };
    await take(subscription.update('PREMIUM', t + 8, ending));
    expect((await accountOf(tenant)).subscription).toMatchObject({
      ...{ plan: 'PREMIUM', status: 'ACTIVE', cancelledAt: dateOf(t + 7) },
    });
  });

  test('a payment extends its period, and a late one never shortens it', async () => {
    const [tenant, subscription, take] = await createCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.payment(t + 5_000_000, t + 50));
    await take(subscription.payment(t + 2_500_000, t + 20));
    const { currentPeriodEnd } = (await accountOf(tenant)).subscription;
    expect(currentPeriodEnd).toBe(dateOf(t + 5_000_000));
  });

  test('a failed payment flags it and leaves the plan; a payment clears it', async () => {
    const [tenant, subscription, take] = await createCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.failure(t + 10));
    expect(await planAndStatusOf(tenant)).toMatchObject({ plan: 'PREMIUM', status: 'PAST_DUE' });
    await take(subscription.payment(t + 5_000_000, t + 20));
    expect(await planAndStatusOf(tenant)).toMatchObject({ plan: 'PREMIUM', status: 'ACTIVE' });
    await take(subscription.failure(t + 15));
    expect(await planAndStatusOf(tenant)).toMatchObject({ plan: 'PREMIUM', status: 'ACTIVE' });
    expect(await outcomesOf(tenant)).toEqual(['IGNORED', 'APPLIED', 'APPLIED', 'APPLIED']);
  });

  test('of two events of one second the later arrival counts, but a deletion wins', async () => {
    const [tenant, subscription, take] = await createCustomer();
    await take(subscription.checkout('PREMIUM', t));
    await take(subscription.failure(t));
    expect(await planAndStatusOf(tenant)).toMatchObject({ status: 'PAST_DUE' });
    await take(subscription.update('BUSINESS', t));
    expect(await planAndStatusOf(tenant)).toMatchObject({ status: 'ACTIVE', plan: 'BUSINESS' });
    await take(subscription.update('ENTERPRISE', t));
    expect(await planAndStatusOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
    await take(subscription.deletion(t));
    await take(subscription.update('ENTERPRISE', t));
    expect(await planAndStatusOf(tenant)).toMatchObject({ status: 'CANCELLED', plan: 'FREE' });
  });
});

describe('an event', () => {
  test('that is repeated, later or fifty times at once, counts once', async () => {
    const [tenant, subscription] = await createCustomer();
    const event = subscription.checkout('PREMIUM', t);
    const replies = await Promise.all(Array.from({ length: 50 }, () => sendCard(service, event)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await sendCard(service, event)).status).toBe(200);
    expect(await eventsOf(tenant)).toHaveLength(1);
    const actions = (await auditOf(tenant)).data.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 2)).toEqual(['subscription.attach', 'plan.change']);
    expect(actions).toHaveLength(3);
  });

  test('of a type that is not handled is recorded', async () => {
    const [tenant, subscription, take] = await createCustomer();
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
  ])('%s with an invalid object is recorded and changes nothing', async (type, object) => {
    const [, , take] = await createCustomer();
    await take({ id: newRef('evt'), type, created: t, data: { object } });
  });

  test('with times beyond any calendar is accepted', async () => {
    const [tenant, subscription, take] = await createCustomer();
    await take(subscription.checkout('PREMIUM', t));
    const wild = { current_period_end: 9e15, trial_end: -5, canceled_at: 1e300, items: null };
    await take(subscription.update('BUSINESS', 9e15, wild));
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
  });
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  cardSubscription,
  newRef,
  sendCard,
  sendRaw,
} from '../../../test/harness/billing/events.ts';
import { expectSoundLedger } from '../../../test/harness/billing/ledger.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import { sharedSimulator } from '../../../test/harness/simulator/start.ts';

let service: TestService;
let provider: string;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['billing.return-abandoned'] });
  provider = (await sharedSimulator()).url;
});
afterAll(() => service.stop());

const remove = async (tenant: OwnTenant): Promise<void> => {
  const body = { confirm: `user-${tenant.platformId}` };
  expect((await tenant.call('DELETE', '/api/v1/account', { body })).status).toBe(200);
};

type Sent = { type: string; body: string };

/** The provider's events that contain this text, sent or not. */
const eventsAbout = async (text: string, type: string): Promise<Sent[]> => {
  const headers = { authorization: 'Bearer sk_test_any' };
  const answer = await fetch(`${provider}/__sim/payments/events`, { headers });
  const sent: Sent[] = await answer.json();
  return sent.filter((event) => event.type === type && event.body.includes(text));
};

const planOf = async ({ accountId }: OwnTenant): Promise<string> => {
  const [user] = await service.db.$client`select plan from accounts where id = ${accountId}`;
  return user.plan;
};

/** What the jobs of this subscription refund and cancel at the provider. */
const jobsFor = async (subscriptionRef: string) => {
  const rows: { data: { paymentRefs: string[] } }[] = await service.db.$client`
    select data from pgboss.job where name = 'billing.return-abandoned'
      and data ->> 'subscriptionRef' = ${subscriptionRef} order by created_on`;
  return rows.map(({ data }) => data.paymentRefs.toSorted());
};

test('a plan that is paid for after the deletion is refunded and cancelled at the provider', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const body = { plan: 'PREMIUM', payWith: 'CARD' };
  const { payUrl } = (await tenant.call('POST', '/api/v1/billing/invoices', { body })).body.data;
  const session = String(new URL(payUrl).pathname.split('/').at(-1));
  await fetch(`${provider}/pay/card/${session}`, {
    ...{ method: 'POST', body: new URLSearchParams({ step: 'pay' }), redirect: 'manual' },
  });
  await remove(tenant);
  const [paid] = await eventsAbout(session, 'checkout.session.completed');
  const { subscription } = JSON.parse(paid?.body ?? '').data.object;
  const [invoice] = await eventsAbout(subscription, 'invoice.payment_succeeded');
  for (const event of [paid, invoice]) {
    expect((await sendRaw(service, event?.body ?? '')).status).toBe(200);
  }
  const intent = /pi_\w+/.exec(invoice?.body ?? '')?.[0] ?? 'none';
  const [refunded, ended] = await eventually(20_000, async () => {
    const events = [
      ...(await eventsAbout(intent, 'charge.refunded')),
      ...(await eventsAbout(subscription, 'customer.subscription.deleted')),
    ];
    expect(events.length).toBe(2);
    return events;
  });
  for (const event of [refunded, ended, paid]) {
    expect((await sendRaw(service, event?.body ?? '')).status).toBe(200);
  }
  expect(await planOf(tenant)).toBe('FREE');
  const balances = await service.db.$client`
    select from ledger_balances where account_id = ${tenant.accountId} and balance_cents <> 0`;
  expect(balances.length).toBe(0);
  await expectSoundLedger(service.db);
});

test.each(['before', 'after'])(
  'a subscription whose payment is reported %s its checkout is cancelled and refunded, and gets no account',
  async (when) => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    const subscription = cardSubscription(tenant.accountId);
    await remove(tenant);
    const intent = newRef('pi');
    const payment = subscription.payment(1_900_000_000);
    Object.assign(payment.data.object, { payment_intent: intent });
    const checkout = subscription.checkout('BUSINESS');
    for (const event of when === 'before' ? [payment, checkout] : [checkout, payment, checkout]) {
      expect((await sendCard(service, event)).status).toBe(200);
    }
    expect((await jobsFor(subscription.id)).at(-1)).toEqual([intent]);
    expect(await planOf(tenant)).toBe('FREE');
    const linked = await service.db.$client`
    select from subscriptions where account_id = ${tenant.accountId}
    union all select from billing_customers where account_id = ${tenant.accountId}`;
    expect(linked.length).toBe(0);
  },
);

test('a renewal that is charged between the deletion and the cancellation is refunded', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const subscription = cardSubscription(tenant.accountId);
  const now = Math.floor(Date.now() / 1000);
  const charged = async (secondsFromNow: number) => {
    const intent = newRef('pi');
    const payment = subscription.payment(1_900_000_000, now + secondsFromNow);
    Object.assign(payment.data.object, { payment_intent: intent });
    expect((await sendCard(service, payment)).status).toBe(200);
    return intent;
  };
  await sendCard(service, subscription.checkout('BUSINESS'));
  await remove(tenant);
  await charged(-3600);
  expect(await jobsFor(subscription.id)).toEqual([]);
  const renewal = await charged(3600);
  expect(await jobsFor(subscription.id)).toEqual([[renewal]]);
});

test('a subscription that is paused when its account is deleted is cancelled, too', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const subscription = cardSubscription(tenant.accountId);
  const now = Math.floor(Date.now() / 1000);
  await sendCard(service, subscription.checkout('BUSINESS', now));
  await sendCard(service, subscription.update('BUSINESS', now + 1, { status: 'paused' }));
  await remove(tenant);
  const queued = await service.db.$client`
    select from pgboss.job where name = 'billing.cancel-subscription'
      and data ->> 'providerRef' = ${subscription.id}`;
  expect(queued.length).toBe(1);
});

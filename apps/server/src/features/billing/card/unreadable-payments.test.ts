import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { alertsOf } from '../../../../test/harness/alerts.ts';
import {
  accountOf,
  cardEvent,
  cardSubscription,
  eventsOf,
  insertInvoice,
  ledgerOf,
  newRef,
  nowSeconds,
  sendCard,
} from '../../../../test/harness/billing/events.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';

let service: TestService;
let tenant: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  tenant = await service.newTenant({ plan: 'FREE' });
});
afterAll(() => service.stop());

const outcomes = async (): Promise<string[]> =>
  (await eventsOf(tenant)).map(({ outcome }: { outcome: string }) => outcome);

/** What stands in a payment instead of what can be read. */
const unreadable: [string, object][] = [
  ['no amount', { amount_total: undefined }],
  ['the amount null', { amount_total: null }],
  ['the amount as text', { amount_total: '500' }],
  ['a fraction of a cent', { amount_total: 500.5 }],
  ['a negative amount', { amount_total: -500 }],
  ['an amount above all numbers', { amount_total: 1e300 }],
  ['no currency', { currency: undefined }],
  ['the currency as a number', { currency: 840 }],
  ['a long s for the s', { currency: 'u\u017fd' }],
  ['a currency with blanks', { currency: ' usd' }],
  ['no status', { payment_status: undefined }],
  ['the status as a list', { payment_status: ['paid'] }],
  ['a status that nobody knows', { payment_status: 'settling' }],
  ['a status in capitals', { payment_status: 'PAID' }],
  ['nothing to pay', { payment_status: 'no_payment_required' }],
];

test.each(unreadable)(
  'a payment with %s pays nothing, and its payer hears of it',
  async (_, more) => {
    const invoiceId = await insertInvoice(tenant, { payWith: 'CARD' });
    const session = { id: newRef('cs'), mode: 'payment', payment_status: 'paid' };
    const tell = (changes: object) =>
      sendCard(
        service,
        cardEvent('checkout.session.completed', {
          ...{
            ...session,
            metadata: { invoiceId },
            amount_total: 500,
            currency: 'usd',
            ...changes,
          },
        }),
      );
    await tell(more);
    expect((await accountOf(tenant)).plan).toBe('FREE');
    expect(await outcomes()).toEqual(['MISMATCH']);
    expect(await alertsOf(tenant)).toMatchObject([
      { kind: 'PAYMENT_FAILED', title: 'A payment for your plan was not accepted' },
    ]);
    await tell({});
    expect((await accountOf(tenant)).plan).toBe('PREMIUM');
  },
);

test.each([undefined, null, 1, 'settling'])(
  'a subscription whose checkout says %p about its payment gives nothing',
  async (payment_status) => {
    const checkout = cardSubscription(tenant.accountId).checkout('BUSINESS', undefined, {
      payment_status,
    });
    await sendCard(service, checkout);
    expect((await accountOf(tenant)).plan).toBe('FREE');
    expect(await outcomes()).toEqual(['MISMATCH']);
    expect(await alertsOf(tenant)).toHaveLength(1);
  },
);

test('a trial has nothing to pay', async () => {
  const checkout = cardSubscription(tenant.accountId).checkout('BUSINESS', undefined, {
    payment_status: 'no_payment_required',
  });
  await sendCard(service, checkout);
  expect((await accountOf(tenant)).plan).toBe('BUSINESS');
});

test.each([
  ['amount', { amount_refunded: '500' }],
  ['currency', { currency: null }],
])('a refund whose %s cannot be read credits nothing', async (_, more) => {
  const { checkout, refund } = cardSubscription(tenant.accountId);
  await sendCard(service, checkout('PREMIUM'));
  const event = refund(newRef('ch'), 500);
  const metadata = { userId: tenant.accountId };
  const object = { ...event.data.object, metadata, ...more };
  await sendCard(service, { ...event, data: { object } });
  expect(await outcomes()).toEqual(['MISMATCH', 'APPLIED']);
  expect(await ledgerOf(tenant)).toEqual([]);
});

test('a subscription that is paid again keeps nobody from hearing of a payment that was not accepted', async () => {
  const { db, accountId } = tenant;
  const { checkout, failure, payment } = cardSubscription(accountId);
  const at = nowSeconds();
  const email = `${newRef('owner')}@example.com`;
  await db.$client`update accounts set email = ${email} where id = ${accountId}`;
  const mismatch = checkout('BUSINESS', at, { payment_status: 'settling' });
  for (const event of [checkout('PREMIUM', at - 9), failure(at - 5), mismatch, payment(at + 9, at)])
    expect((await sendCard(service, event)).status).toBe(200);
  const waiting = await db.$client`
    select facts from alerts where account_id = ${accountId} and is_mail_waiting`;
  expect([...waiting]).toEqual([
    { facts: { mismatchedOrderId: null, amountCents: null, currency: null } },
  ]);
});

test('the operator sees events that did not fit in the log and in the metrics', async () => {
  const before = await countMismatches();
  const checkout = cardSubscription(tenant.accountId).checkout('BUSINESS', undefined, {
    payment_status: 'settling',
  });
  await sendCard(service, checkout);
  await sendCard(service, checkout);
  expect(await countMismatches()).toBe(before + 1);
  const logged = service.logLines.filter((line) => line.includes(checkout.id));
  expect(logged.map((line) => JSON.parse(line).outcome)).toEqual(['MISMATCH']);
});

const countMismatches = async (): Promise<number> => {
  const { text } = await service.call('GET', '/metrics');
  const name = 'holdfast_billing_events_total{provider="CARD",outcome="MISMATCH"}';
  const line = text.split('\n').find((one) => one.startsWith(name));
  return Number(line?.split(' ').at(-1));
};

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import {
  cardSubscription,
  eventsOf,
  ledgerOf,
  newRef,
  type RawCardEvent,
  sendCard,
} from '../../../../test/harness/billing/events.ts';
import { escrowOf, expectSoundLedger } from '../../../../test/harness/billing/ledger.ts';
import { checkoutFor, sendEvents } from '../../../../test/harness/marketplace/checkout.ts';
import {
  orderBetweenNewAccounts,
  orderOf,
  potsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';

let service: TestService;
let order: Awaited<ReturnType<typeof orderBetweenNewAccounts>>;
let checkout: ReturnType<typeof checkoutFor>;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  order = await orderBetweenNewAccounts(service);
  checkout = checkoutFor(order.id, order.buyer);
});
afterEach(() => expectSoundLedger(service.db));
afterAll(() => service.stop());

const send = (...events: RawCardEvent[]) => sendEvents(service, ...events);
const outcomes = async (tenant: OwnTenant): Promise<string[]> =>
  (await eventsOf(tenant)).map(({ outcome }: { outcome: string }) => outcome).toReversed();

test('a refund in another currency takes nothing, and the same total in the right one does', async () => {
  await send(checkout.paid(), checkout.refunded(700, { currency: 'eur' }), checkout.refunded(700));
  expect(await outcomes(order.buyer)).toEqual(['APPLIED', 'MISMATCH', 'APPLIED']);
  expect(await escrowOf(service.db, order.id)).toBe(1300);
});

test('a refund in another currency that is told before its payment takes nothing from it', async () => {
  await send(checkout.refunded(700, { currency: 'jpy' }), checkout.paid(), checkout.refunded(400));
  expect(await outcomes(order.buyer)).toEqual(['MISMATCH', 'APPLIED', 'APPLIED']);
  expect(await escrowOf(service.db, order.id)).toBe(1600);
});

test('a lost dispute in another currency takes the whole payment: its payer gets no credit besides', async () => {
  const foreign = { amount: 1490, currency: 'gbp' };
  await send(checkout.paid(), checkout.disputed('needs_response', foreign));
  expect(await escrowOf(service.db, order.id)).toBe(2000);
  await send(checkout.disputed('lost', foreign));
  expect((await orderOf(order.buyer, order.id)).status).toBe('REFUNDED');
  for (const party of [order.buyer, order.seller]) {
    expect(await potsOf(party)).toEqual({ EARNED: 0, CREDIT: 0 });
  }
});

test('refunds of one charge of a plan are not added up over two currencies', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const { checkout: paid, refund } = cardSubscription(tenant.accountId);
  const charge = newRef('ch');
  const inYen = refund(charge, 90_000);
  inYen.data.object.currency = 'jpy';
  for (const event of [paid('PREMIUM'), refund(charge, 300), inYen, refund(charge, 450)]) {
    expect((await sendCard(service, event)).status).toBe(200);
  }
  expect(await ledgerOf(tenant)).toMatchObject([
    { amountCents: 150, balanceCents: 450, currency: 'USD' },
    { amountCents: 300, balanceCents: 300, currency: 'USD' },
  ]);
});

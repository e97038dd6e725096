import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { cardEvent, sendCard, sendCrypto } from '../../../../test/harness/billing/events.ts';
import {
  accountsOf,
  expectCardAddsUp,
  expectOnlySalesEarned,
  expectSoundLedger,
} from '../../../../test/harness/billing/ledger.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { returnLatePayments } from '../../../../test/harness/marketplace/checkout.ts';
import {
  actOn,
  createListing,
  credit,
  orderOf,
  placeOrder,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
  testBilling,
} from '../../../../test/harness/service.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { verifyChain } from '../../audit/chain/verify-chain.ts';
import { findClearing } from '../money/clearing.ts';
import { payPayout } from '../money/payouts.ts';
import { refundOrder } from './settle.ts';

let aheadMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + aheadMs) };
/** Changed by tests: earnings are at once available in the first. */
const billing = { ...testBilling };
const dayMs = 86_400_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['billing.settle-dispute'], clock, billing });
});
afterAll(() => service.stop());

const priceCents = 1000;
const givenCents = 2500;

type Placed = { id: string; buyer: OwnTenant; seller: OwnTenant; totalCents: number };
type Market = { people: OwnTenant[]; listings: string[]; orders: Placed[] };

const trade = [
  ...(['order', 'order', 'order', 'payCard', 'payCard', 'refundCard', 'crypto'] as const),
  ...(['cancel', 'deliver', 'deliver', 'confirm', 'operator', 'payout'] as const),
  ...(['delay', 'delay', 'arrive', 'decline'] as const),
];
const quarrels = [
  ...(['dispute', 'dispute', 'dispute', 'plan', 'sendPayouts'] as const),
  ...(['payCard', 'deliver', 'confirm', 'confirm'] as const),
];

/** The account, order and amount are drawn as numbers, modulo what exists. */
const actsOf = <What extends string>(what: readonly What[], mostOrders = 30) =>
  fc.record({
    what: fc.constantFrom(...what),
    who: fc.nat(2),
    which: fc.nat(mostOrders),
    much: fc.integer({ min: 1, max: 4 }),
    payWith: fc.constantFrom('CARD', 'CRYPTO', 'BALANCE', 'BALANCE'),
    state: fc.constantFrom('Paid', 'Paid', 'Expired', 'Failed'),
  });
type What = (typeof trade)[number] | (typeof quarrels)[number];
type Drawn<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Act = Drawn<ReturnType<typeof actsOf<What>>>;

const openMarket = async (): Promise<Market> => {
  const people = [await service.newTenant(), await service.newTenant(), await service.newTenant()];
  const listings: string[] = [];
  for (const person of people) {
    await credit(person, givenCents);
    listings.push((await createListing(person, { priceCents })).id);
  }
  return { people, listings, orders: [] };
};

const order = async ({ people, listings, orders }: Market, { who, which, much, payWith }: Act) => {
  const buyer = people[who];
  const seat = (who + 1 + (which % 2)) % 3;
  const seller = people[seat];
  if (!buyer || !seller) throw new Error('Nobody is there');
  const reply = await placeOrder(buyer, listings[seat] ?? '', { payWith, quantity: much });
  expect(reply.status).toBeOneOf([201, 403, 429]);
  if (reply.status !== 201) return;
  const { id, totalCents } = reply.body.data;
  orders.push({ id, totalCents, buyer, seller });
};

/** Each order has two checkouts at the provider, so that it may be paid twice. */
const checkoutOf = ({ id, buyer }: Placed, which: number) => ({
  ...{ session: `cs_${id}_${which % 2}`, intent: `pi_${id}_${which % 2}` },
  ...{ charge: `ch_${id}_${which % 2}`, metadata: { orderId: id, accountId: buyer.accountId } },
});

const payByCard = (placed: Placed, which: number) => {
  const { session, intent, metadata } = checkoutOf(placed, which);
  return tellPaid({ id: session, payment_intent: intent, metadata }, placed.totalCents);
};

/** The delayed payment of the first checkout: on its way, arrived or failed, reported in any order. */
const tellDelayed = (placed: Placed, event: string, payment_status: 'paid' | 'unpaid') => {
  const { session, intent, metadata } = checkoutOf(placed, 0);
  return sendCard(
    service,
    cardEvent(`checkout.session.${event}`, {
      ...{ id: session, payment_intent: intent, metadata, mode: 'payment', payment_status },
      ...{ amount_total: placed.totalCents, currency: 'usd' },
    }),
  );
};

const tellPaid = (session: { id: string; [field: string]: unknown }, amount_total: number) =>
  sendCard(
    service,
    cardEvent('checkout.session.completed', {
      ...{ ...session, mode: 'payment', payment_status: 'paid', amount_total, currency: 'usd' },
    }),
  );

const acts: Record<Exclude<Act['what'], 'order'>, (one: Placed, drawn: Act) => Promise<unknown>> = {
  payCard: (placed, { much, which }) =>
    // Now and then a wrong amount.
    which % 7 === 0
      ? tellPaid({ id: `cs_${placed.id}_wrong`, metadata: { orderId: placed.id } }, 1)
      : payByCard(placed, much),
  refundCard: (placed, { much }) => {
    const { charge, intent, metadata } = checkoutOf(placed, much);
    const amount_refunded = Math.ceil((placed.totalCents * much) / 4);
    return sendCard(
      service,
      cardEvent('charge.refunded', {
        ...{ id: charge, payment_intent: intent, metadata, amount_refunded, currency: 'usd' },
      }),
    );
  },
  crypto: ({ id, totalCents }, { state, much }) =>
    sendCrypto(service, {
      ...{ track_id: `${id}${much % 2}`, order_id: id, status: state },
      ...{ amount: totalCents / 100, currency: 'USD' },
    }),
  delay: (placed) => tellDelayed(placed, 'completed', 'unpaid'),
  arrive: (placed, { which }) =>
    which % 5 === 0
      ? tellDelayed(placed, 'async_payment_failed', 'unpaid')
      : tellDelayed(placed, 'async_payment_succeeded', 'paid'),
  decline: ({ id, seller }) => actOn(seller, id, 'decline'),
  cancel: ({ id, buyer }) => actOn(buyer, id, 'cancel'),
  deliver: ({ id, seller }, { much }) => actOn(seller, id, 'deliver', { delivered: much }),
  confirm: ({ id, buyer }) => actOn(buyer, id, 'confirm'),
  operator: ({ id }) =>
    service.db.transaction((tx) => refundOrder(tx, id, { type: 'SYSTEM', id: null })),
  // Two disputes about one payment, each about a part of it, reported in whatever order they are drawn.
  dispute: (placed, { much, which, who }) => {
    const { charge, intent } = checkoutOf(placed, much);
    const status = disputeStates[who] ?? 'won';
    const amount = which % 2 === 0 ? Math.floor(placed.totalCents / 4) : placed.totalCents / 2;
    return sendCard(
      service,
      cardEvent(`charge.dispute.${status === 'needs_response' ? 'created' : 'closed'}`, {
        ...{ id: `dp_${charge}_${which % 2}`, charge, payment_intent: intent, status },
        ...{ amount, currency: 'usd' },
      }),
    );
  },
  plan: ({ seller, buyer }, { who }) =>
    (who === 0 ? seller : buyer).call('POST', '/api/v1/billing/invoices', {
      body: { plan: 'PREMIUM', payWith: 'BALANCE' },
    }),
  sendPayouts: async ({ seller: { accountId } }) => {
    const pending: { id: string }[] = await service.db.$client`
      select id from payouts where account_id = ${accountId} and status = 'PENDING'`;
    for (const { id } of pending) await sendPayout(id);
  },
  payout: ({ seller }, { much }) =>
    seller.call('POST', '/api/v1/marketplace/payouts', { body: { amountCents: much * 300 } }),
};

const disputeStates = ['needs_response', 'lost', 'won'] as const;

/** Refused while the seller is in debt; then it waits. */
const sendPayout = (id: string) =>
  service.db
    .transaction((tx) => payPayout(tx, { id, paidAt: new Date() }, { type: 'SYSTEM', id: null }))
    .catch((error: unknown) => expect(error).toBeInstanceOf(HttpError));

const perform = async (market: Market, drawn: Act): Promise<void> => {
  const { what, which } = drawn;
  if (what === 'order') return order(market, drawn);
  const placed = market.orders[which % Math.max(1, market.orders.length)];
  if (!placed) return;
  const reply = await acts[what](placed, drawn);
  const status = reply && typeof reply === 'object' && 'status' in reply ? reply.status : 200;
  expect(status).not.toBe(500);
};

const drawn = { which: 0, much: 1, payWith: 'CARD', state: 'Paid' } as const;

const placePaid = async (market: Market, who: number): Promise<Placed> => {
  await order(market, { what: 'order', who, ...drawn });
  const placed = market.orders.at(-1);
  if (!placed) throw new Error('The order was refused');
  await payByCard(placed, 1);
  return placed;
};

const complete = async ({ id, seller, buyer }: Placed): Promise<void> => {
  await actOn(seller, id, 'deliver', { delivered: 1 });
  expect((await actOn(buyer, id, 'confirm')).body.data.status).toBe('COMPLETED');
};

/** Each kind of dispute once, because random runs contain most of them but not always all. */
const disputeEach = async (): Promise<void> => {
  const market = await openMarket();
  const dispute = (placed: Placed, state: number) =>
    acts.dispute(placed, { what: 'dispute', who: state, ...drawn });
  const completed = await placePaid(market, 0);
  await complete(completed);
  await dispute(completed, disputeStates.indexOf('needs_response'));
  await dispute(await placePaid(market, 1), disputeStates.indexOf('needs_response'));
  await dispute(await placePaid(market, 2), disputeStates.indexOf('lost'));
};

const atOnce = 4;

test('the ledger adds up after any orders, payments, refunds and repeated events', async () => {
  const seen = new Set<string>();
  await complete(await placePaid(await openMarket(), 0));
  await fc.assert(
    fc.asyncProperty(
      fc.array(actsOf(trade), { minLength: 40, maxLength: 90, size: 'max' }),
      async (drawn) => {
        const market = await openMarket();
        for (let at = 0; at < drawn.length; at += atOnce) {
          await Promise.all(drawn.slice(at, at + atOnce).map((one) => perform(market, one)));
        }
        // The provider reports every payment in the end, and refunds none: the simulator has no record of them.
        for (const placed of market.orders) {
          for (const which of [0, 1]) await payByCard(placed, which);
        }
        await returnLatePayments(service.db);
        await expectSoundLedger(service.db);
        await expectCardAddsUp(service.db);
        for (const { id, buyer } of market.orders) seen.add((await orderOf(buyer, id)).status);
        for (const { accountId } of market.people) {
          expect(await verifyChain(service.db, accountId)).toMatchObject({ intact: true });
        }
      },
    ),
    { numRuns: 12 },
  );
  // A run in which nothing happens would prove nothing.
  expect([...seen].toSorted()).toEqual(expect.arrayContaining(['CANCELLED', 'PAID', 'REFUNDED']));
  const balances = await accountsOf(service.db);
  expect(balances.get('platform:fees')).toBeGreaterThan(0);
}, 180_000);

test('with disputes, plans and payouts, earnings come from sales only, and leave once they have cleared', async () => {
  billing.earningsClearDays = 7;
  const sold = await placePaid(await openMarket(), 0);
  await complete(sold);
  const earnings = { accountId: sold.seller.accountId, currency: 'USD' };
  expect(await findClearing(service.db, { clock, billing }, earnings)).toBeGreaterThan(0);
  const seen = new Set<string>();
  await disputeEach();
  await fc.assert(
    fc.asyncProperty(
      // Few orders, so that disputes meet every state.
      fc.array(actsOf([...trade, ...quarrels], 6), { minLength: 60, maxLength: 90, size: 'max' }),
      async (drawn) => {
        const market = await openMarket();
        for (let at = 0; at < drawn.length; at += atOnce) {
          await Promise.all(drawn.slice(at, at + atOnce).map((one) => perform(market, one)));
          if (at % 16 === 0) await returnLatePayments(service.db);
        }
        for (const placed of market.orders) {
          for (const which of [0, 1]) await payByCard(placed, which);
        }
        await untilSettled();
        await expectSoundLedger(service.db);
        for (const { accountId } of market.people) {
          const earnings = { accountId, currency: 'USD' };
          const { salesCents, spentCents } = await expectOnlySalesEarned(service.db, {
            ...{ accountId, givenCents },
          });
          // No time has passed, so nothing but the gift has left.
          expect(spentCents).toBeLessThanOrEqual(givenCents);
          expect(await findClearing(service.db, { clock, billing }, earnings)).toBe(salesCents);
          aheadMs = 8 * dayMs;
          expect(await findClearing(service.db, { clock, billing }, earnings)).toBe(0);
          aheadMs = 0;
          expect(await verifyChain(service.db, accountId)).toMatchObject({ intact: true });
        }
        for (const outcome of await disputesSeen()) seen.add(outcome);
      },
    ),
    // All runs share one ledger, which stays wrong after a failure, so shrinking is useless.
    { numRuns: 8, endOnFailure: true },
  );
  const met = [...seen].toSorted();
  expect(met).toEqual(expect.arrayContaining(['PAID OPEN', 'REFUNDED LOST']));
  expect(met.filter((state) => state.startsWith('COMPLETED')).length).toBeGreaterThan(0);
}, 180_000);

/** A job applies disputes that were reported before their payment. */
const untilSettled = () =>
  eventually(30_000, async () => {
    const waiting = await service.db.$client`
      select from billing_disputes
      join order_payments using (payment_intent)
      where applied is distinct from state and order_payments.amount_cents > 0
        and (applied is null or applied = 'OPEN')`;
    expect(waiting.length).toBe(0);
  });

/** The states of disputed orders. */
const disputesSeen = async (): Promise<string[]> => {
  const rows: { met: string }[] = await service.db.$client`
    select distinct status || ' ' || applied as met from billing_disputes
    join order_payments using (payment_intent) join orders on orders.id = order_id
    union select 'COMPLETED ' || applied from billing_disputes
    join order_payments using (payment_intent) join orders on orders.id = order_id
    where completed_at is not null and applied is not null`;
  return rows.map(({ met }) => met);
};

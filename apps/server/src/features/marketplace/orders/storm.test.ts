import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { cardEvent, sendCard, sendCrypto } from '../../../../test/billing-scene.ts';
import { type OwnTenant, startTestService, type TestService } from '../../../../test/harness.ts';
import { returnLatePayments } from '../../../../test/late-payments.ts';
import { accountsOf, expectCardAddsUp, expectSoundLedger } from '../../../../test/ledger-check.ts';
import {
  actOn,
  createListing,
  credit,
  orderOf,
  placeOrder,
} from '../../../../test/market-scene.ts';
import { verifyChain } from '../../audit/verify-chain.ts';
import { refundOrder } from './refund-order.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
}, 30_000);
afterAll(() => service.stop());

const priceCents = 1000;

type Placed = { id: string; buyer: OwnTenant; seller: OwnTenant; totalCents: number };
type Market = { people: OwnTenant[]; listings: string[]; orders: Placed[] };

/** Who, which order and how much are drawn as numbers, and wrapped around what there is. */
const act = fc.record({
  what: fc.constantFrom(
    ...(['order', 'order', 'order', 'payCard', 'payCard', 'refundCard', 'crypto'] as const),
    ...(['cancel', 'deliver', 'deliver', 'confirm', 'operator', 'payout'] as const),
  ),
  who: fc.nat(2),
  which: fc.nat(30),
  much: fc.integer({ min: 1, max: 4 }),
  payWith: fc.constantFrom('CARD', 'CRYPTO', 'BALANCE', 'BALANCE'),
  state: fc.constantFrom('Paid', 'Paid', 'Expired', 'Failed'),
});
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

const openMarket = async (): Promise<Market> => {
  const people = [await service.newTenant(), await service.newTenant(), await service.newTenant()];
  const listings: string[] = [];
  for (const person of people) {
    await credit(person, 2500);
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
  ...{ charge: `ch_${id}_${which % 2}`, metadata: { orderId: id, userId: buyer.userId } },
});

const payByCard = (placed: Placed, which: number) => {
  const { session, intent, metadata } = checkoutOf(placed, which);
  return tellPaid({ id: session, payment_intent: intent, metadata }, placed.totalCents);
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
    // Now and then not what was asked for.
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
  cancel: ({ id, buyer }) => actOn(buyer, id, 'cancel'),
  deliver: ({ id, seller }, { much }) => actOn(seller, id, 'deliver', { delivered: much }),
  confirm: ({ id, buyer }) => actOn(buyer, id, 'confirm'),
  operator: ({ id }) =>
    service.db.transaction((tx) => refundOrder(tx, id, { type: 'SYSTEM', id: null })),
  payout: ({ seller }, { much }) =>
    seller.call('POST', '/api/v1/marketplace/payouts', { body: { amountCents: much * 300 } }),
};

const perform = async (market: Market, drawn: Act): Promise<void> => {
  const { what, which } = drawn;
  if (what === 'order') return order(market, drawn);
  const placed = market.orders[which % Math.max(1, market.orders.length)];
  if (!placed) return;
  const reply = await acts[what](placed, drawn);
  const status = reply && typeof reply === 'object' && 'status' in reply ? reply.status : 200;
  expect(status).not.toBe(500);
};

const atOnce = 4;

test('whatever is ordered, paid, refunded and repeated, the money adds up', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 40, maxLength: 90, size: 'max' }),
      async (drawn) => {
        const market = await openMarket();
        for (let at = 0; at < drawn.length; at += atOnce) {
          await Promise.all(drawn.slice(at, at + atOnce).map((one) => perform(market, one)));
        }
        // The provider tells of every payment in the end, and gives none of them back: it knows none.
        for (const placed of market.orders) {
          for (const which of [0, 1]) await payByCard(placed, which);
        }
        await returnLatePayments(service.db);
        await expectSoundLedger(service.db);
        await expectCardAddsUp(service.db);
        for (const { id, buyer } of market.orders) seen.add((await orderOf(buyer, id)).status);
        for (const { userId } of market.people) {
          expect(await verifyChain(service.db, userId)).toMatchObject({ intact: true });
        }
      },
    ),
    { numRuns: 12 },
  );
  // A storm in which nothing happens shows nothing.
  expect([...seen].toSorted()).toEqual(
    expect.arrayContaining(['CANCELLED', 'COMPLETED', 'PAID', 'REFUNDED']),
  );
  const held = await accountsOf(service.db);
  expect(held.get('platform:fees')).toBeGreaterThan(0);
}, 180_000);

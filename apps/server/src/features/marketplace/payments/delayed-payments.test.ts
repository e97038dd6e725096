import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { eventsOf, type RawCardEvent } from '../../../../test/harness/billing/events.ts';
import { escrowOf, expectSoundLedger } from '../../../../test/harness/billing/ledger.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { checkoutFor, sendEvents } from '../../../../test/harness/marketplace/checkout.ts';
import {
  actOn,
  orderBetweenNewAccounts,
  orderOf,
  potsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { tries } from '../../../../test/harness/tries.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { expireDueOrders } from '../jobs.ts';

let service: TestService;
let seller: OwnTenant;
let buyer: OwnTenant;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['billing.settle-dispute'] });
});
afterEach(() => expectSoundLedger(service.db));
afterAll(() => service.stop());

const dayMs = 86_400_000;

const newOrder = async () => {
  const order = await orderBetweenNewAccounts(service);
  ({ seller, buyer } = order);
  return { id: order.id, checkout: checkoutFor(order.id, buyer) };
};

const send = (...events: RawCardEvent[]) => sendEvents(service, ...events);
const statusOf = async (id: string) => (await orderOf(buyer, id)).status;
const outcomes = async (): Promise<string[]> =>
  (await eventsOf(buyer)).map(({ outcome }: { outcome: string }) => outcome).toReversed();

const expireAfter = (ms: number) => {
  const clock = { now: () => new Date(systemClock.now().getTime() + ms) };
  const { db, log, queue } = service;
  return expireDueOrders({ db, log, queue, clock }, new AbortController().signal);
};

test('an order is paid when its delayed payment arrives, days after the checkout', async () => {
  const { id, checkout } = await newOrder();
  await send(checkout.delayed());
  await expireAfter(14 * dayMs);
  expect(await orderOf(buyer, id)).toMatchObject({ status: 'PENDING', checkoutUrl: null });
  const arrived = checkout.arrived();
  await send(arrived, arrived, checkout.arrived());
  expect(await orderOf(buyer, id)).toMatchObject({ status: 'PAID', checkoutUrl: null });
  expect(await escrowOf(service.db, id)).toBe(2000);
  expect(await outcomes()).toEqual(['APPLIED', 'APPLIED', 'IGNORED']);
});

test('an order fails when its delayed payment does', async () => {
  const { id, checkout } = await newOrder();
  await send(checkout.delayed(), checkout.bounced(), checkout.bounced());
  expect(await statusOf(id)).toBe('FAILED');
  expect(await outcomes()).toEqual(['APPLIED', 'APPLIED', 'IGNORED']);
  expect(await potsOf(buyer)).toEqual({ EARNED: 0, CREDIT: 0 });
});

test('an order is paid once, whatever is reported first', async () => {
  const { id, checkout } = await newOrder();
  await send(checkout.arrived(), checkout.delayed());
  expect(await statusOf(id)).toBe('PAID');
  expect(await escrowOf(service.db, id)).toBe(2000);
  await send(checkout.bounced());
  expect(await statusOf(id)).toBe('PAID');
});

test('a delayed payment that is not heard of again expires its order after two months', async () => {
  const { id, checkout } = await newOrder();
  await send(checkout.delayed());
  await expireAfter(61 * dayMs);
  expect(await statusOf(id)).toBe('EXPIRED');
});

test('a buyer can cancel while a delayed payment is on its way; then it is returned', async () => {
  const { id, checkout } = await newOrder();
  await send(checkout.delayed());
  expect((await actOn(buyer, id, 'cancel')).status).toBe(200);
  await send(checkout.arrived());
  expect(await statusOf(id)).toBe('CANCELLED');
  // The simulator does not know this payment, so the refund is refused.
  expect(await potsOf(buyer)).toEqual({ EARNED: 0, CREDIT: 2000 });
});

test('a delayed payment of a wrong amount pays nothing', async () => {
  const { id, checkout } = await newOrder();
  await send(checkout.delayed(), checkout.arrived({ amount_total: 1999 }));
  expect(await statusOf(id)).toBe('PENDING');
  expect(await outcomes()).toEqual(['APPLIED', 'MISMATCH']);
});

/** Any order of everything that can be reported of one delayed payment. */
test('with refunds and disputes in between, any order of events gives the same money', async () => {
  const half = { amount: 1000 };
  const kinds = ['delayed', 'arrived', 'refund', 'dispute', 'lost', 'won'] as const;
  const property = fc.asyncProperty(
    fc.shuffledSubarray(['delayed', 'arrived', 'refund', 'dispute'], { minLength: 4 }),
    fc.constantFrom<'won' | 'lost'>('won', 'lost'),
    async (order, end) => {
      const { id, checkout } = await newOrder();
      const events: Record<(typeof kinds)[number], () => RawCardEvent> = {
        delayed: checkout.delayed,
        arrived: checkout.arrived,
        refund: () => checkout.refunded(500),
        dispute: () => checkout.disputed('needs_response', half),
        lost: () => checkout.disputed('lost', half),
        won: () => checkout.disputed('won', half),
      };
      // `order` holds names of `events` alone.
      await send(...order.map((kind) => events[kind as keyof typeof events]()));
      await send(events[end]());
      await eventually(10_000, async () => {
        const open = await service.db.$client`
          select from billing_disputes where applied is distinct from state`;
        expect(open.length).toBe(0);
      });
      expect(await statusOf(id)).toBe(end === 'won' ? 'PAID' : 'REFUNDED');
      expect(await escrowOf(service.db, id)).toBe(end === 'won' ? 1500 : 0);
      expect(await potsOf(buyer)).toEqual({ EARNED: 0, CREDIT: end === 'won' ? 0 : 500 });
      expect(await potsOf(seller)).toEqual({ EARNED: 0, CREDIT: 0 });
      await expectSoundLedger(service.db);
    },
  );
  await fc.assert(property, tries(6));
});

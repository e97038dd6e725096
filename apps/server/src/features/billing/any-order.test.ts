import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  accountOf,
  cardSubscription,
  eventsOf,
  ledgerOf,
  newRef,
  nowSeconds,
  type RawCardEvent,
  sendCard,
} from '../../../test/harness/billing/events.ts';
import {
  applyInOrder,
  arbitraryDeliveryOrder,
  arbitraryLifecycle,
  type LifecycleEvent,
} from '../../../test/harness/billing/model.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { tries } from '../../../test/harness/tries.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { parseCardEvent } from './card/parse-event.ts';
import { addFact, type Facts, standingOf } from './rules.ts';

const graceDays = 7;
const permutations = 50;
const throughHttp = 5;

type Subscription = ReturnType<typeof cardSubscription>;

/** The provider's event for each step of a lifecycle. */
const eventsFor = (subscription: Subscription, life: LifecycleEvent[]): RawCardEvent[] => {
  const charges = new Map<number, string>();
  const chargeOf = (charge: number) => {
    const id = charges.get(charge) ?? newRef('ch');
    charges.set(charge, id);
    return id;
  };
  return life.map((event) => eventFor(subscription, event, chargeOf));
};

const eventFor = (
  subscription: Subscription,
  event: LifecycleEvent,
  chargeOf: (charge: number) => string,
): RawCardEvent => {
  const { at } = event;
  switch (event.kind) {
    case 'checkout':
      return subscription.checkout(event.plan, at, {
        ...{ created: at, payment_status: event.isDelayed ? 'unpaid' : 'paid' },
      });
    case 'arrival':
      return subscription.ended('succeeded', event.plan, at, event.begunAt);
    case 'bounce':
      return subscription.ended('failed', event.plan, at, event.begunAt);
    case 'update': {
      const items = { data: [{ current_period_end: event.periodEnd }] };
      return subscription.update(event.plan, at, { status: event.status, items });
    }
    case 'payment':
      return subscription.payment(event.periodEnd, at);
    case 'failure':
      return subscription.failure(at);
    case 'deletion':
      return subscription.deletion(at);
    case 'refund':
      return subscription.refund(chargeOf(event.charge), event.totalCents, at);
  }
};

const withDelivery = (life: LifecycleEvent[]) =>
  fc.record({ life: fc.constant(life), delivery: arbitraryDeliveryOrder(life) });

test('a dozen events or more, delivered in any order and repeatedly, give the same state as in order', () => {
  const now = nowSeconds();
  const property = fc.property(
    arbitraryLifecycle(now).chain(withDelivery),
    ({ life, delivery }) => {
      const events = eventsFor(cardSubscription(crypto.randomUUID()), life);
      const inOrder = factsOf(
        events,
        life.map((_, index) => index),
      );
      const facts = factsOf(events, delivery);
      expect(canonicalJson(facts)).toBe(canonicalJson(inOrder));
      const { status, plan, currentPeriodEnd } = standingOf(facts, new Date(now * 1000), graceDays);
      const model = applyInOrder(life, now, graceDays);
      expect({ status, plan, periodEnd: currentPeriodEnd.getTime() / 1000 }).toEqual({
        ...{ status: model.status, plan: model.plan, periodEnd: model.periodEnd },
      });
    },
  );
  fc.assert(property, tries(permutations));
});

/** Each event once: the database ignores repeated deliveries. */
const factsOf = (events: RawCardEvent[], delivery: number[]): Facts =>
  [...new Set(delivery)].reduce((facts: Facts, index) => {
    const event = events[index];
    if (!event) return facts;
    const { type, created: at, data } = event;
    const news = parseCardEvent({ type, at, object: data.object }, {});
    return news.about === 'subscription' ? addFact(facts, news.fact) : facts;
  }, {});

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const lives = arbitraryLifecycle(nowSeconds()).chain(withDelivery);
type Told = { life: LifecycleEvent[]; delivery: number[] };
type Send = (events: RawCardEvent[]) => Promise<void>;

const take = async (event: RawCardEvent): Promise<void> => {
  expect((await sendCard(service, event)).status).toBe(200);
};

const expectAsInOrder = async ({ life, delivery }: Told, send: Send): Promise<void> => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const events = eventsFor(cardSubscription(tenant.accountId), life);
  await send(delivery.flatMap((index) => events[index] ?? []));
  const model = applyInOrder(life, nowSeconds(), graceDays);
  const { plan, subscription } = await accountOf(tenant);
  const ledger: { amountCents: number; balanceCents: number }[] = await ledgerOf(tenant);
  const credited = ledger.reduce((sum, { amountCents }) => sum + amountCents, 0);
  expect({ plan, status: subscription.status, credited }).toEqual({
    ...{ plan: model.plan, status: model.status, credited: model.refundedCents },
  });
  expect(ledger[0]?.balanceCents ?? 0).toBe(model.refundedCents);
  expect(await eventsOf(tenant)).toHaveLength(events.length);
};

test('events in any order give the same ledger and plan over HTTP', async () => {
  const oneByOne: Send = async (events) => {
    for (const event of events) await take(event);
  };
  const property = fc.asyncProperty(lives, (life) => expectAsInOrder(life, oneByOne));
  await fc.assert(property, tries(throughHttp));
});

test('events that arrive at the same moment give the same ledger and plan', async () => {
  const atOnce: Send = async (events) => {
    await Promise.all(events.map(take));
  };
  const property = fc.asyncProperty(lives, (life) => expectAsInOrder(life, atOnce));
  await fc.assert(property, tries(throughHttp));
});

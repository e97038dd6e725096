import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  accountOf,
  cardEvent,
  cardSubscription,
  newRef,
  sendCard,
} from '../../../../test/harness/billing/events.ts';
import {
  accountsOf,
  escrowOf,
  expectSoundLedger,
} from '../../../../test/harness/billing/ledger.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { checkoutFor, sendEvents } from '../../../../test/harness/marketplace/checkout.ts';
import {
  actOn,
  createListing,
  orderOf,
  placeOrder,
  potsOf,
  transactionsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { tries } from '../../../../test/harness/tries.ts';
import { payPayout } from '../money/payouts.ts';

let service: TestService;
let seller: OwnTenant;
let buyer: OwnTenant;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['billing.settle-dispute'] });
});
afterEach(() => expectSoundLedger(service.db));
afterAll(() => service.stop());

const newOrder = async (): Promise<string> => {
  seller = await service.newTenant({ plan: 'PREMIUM' });
  buyer = await service.newTenant();
  const { id: listingId } = await createListing(seller);
  return (await placeOrder(buyer, listingId, { quantity: 2 })).body.data.id;
};

const complete = async (id: string): Promise<void> => {
  await actOn(seller, id, 'deliver', { delivered: 2 });
  expect((await actOn(buyer, id, 'confirm')).status).toBe(200);
};

const statusOf = async (id: string) => (await orderOf(buyer, id)).status;

const askPayout = (amountCents: number) =>
  seller.call('POST', '/api/v1/marketplace/payouts', { body: { amountCents } });

describe('a dispute about a completed order', () => {
  test('moves the money back to escrow; when won, the seller has it again', async () => {
    const id = await newOrder();
    const checkout = checkoutFor(id, buyer);
    await sendEvents(service, checkout.paid());
    await complete(id);
    const created = checkout.disputed('needs_response');
    await sendEvents(service, created, created);
    expect(await escrowOf(service.db, id)).toBe(2000);
    expect(await potsOf(seller)).toEqual({ EARNED: 0, CREDIT: 0 });
    await sendEvents(service, checkout.disputed('won'), checkout.disputed('needs_response'));
    expect([await statusOf(id), await escrowOf(service.db, id)]).toEqual(['COMPLETED', 0]);
    expect(await transactionsOf(seller)).toEqual([
      ...['SALE 2000', 'FEE -200', 'ADJUSTMENT -1800', 'ADJUSTMENT 1800'],
    ]);
  });

  test('makes the order REFUNDED when lost; the seller owes the money, and payouts wait', async () => {
    const id = await newOrder();
    const checkout = checkoutFor(id, buyer);
    await sendEvents(service, checkout.paid());
    await complete(id);
    expect((await askPayout(1000)).status).toBe(201);
    const { id: payoutId } = (await askPayout(800)).body.data;
    await sendEvents(service, checkout.disputed('needs_response'), checkout.disputed('lost'));
    expect([await statusOf(id), await potsOf(seller)]).toEqual([
      'REFUNDED',
      { EARNED: -1800, CREDIT: 0 },
    ]);
    expect((await askPayout(1)).status).toBe(403);
    const pay = service.db.transaction((tx) =>
      payPayout(tx, { id: payoutId, paidAt: new Date() }, { type: 'SYSTEM', id: null }),
    );
    expect(pay).rejects.toThrow('waits');
    expect(await transactionsOf(buyer)).toEqual([]);
  });
});

describe('several disputes about parts of one payment', () => {
  const two = (id: string) => {
    const checkout = checkoutFor(id, buyer);
    const part = (which: number, amount: number) => (state: 'needs_response' | 'won' | 'lost') =>
      checkout.disputed(state, { id: `dp_${id}_${which}`, amount });
    return { checkout, first: part(1, 800), second: part(2, 1200) };
  };

  test('keep the disputed rest in escrow when the first is lost', async () => {
    const id = await newOrder();
    const { checkout, first, second } = two(id);
    await sendEvents(service, checkout.paid());
    await complete(id);
    await sendEvents(service, first('needs_response'), second('needs_response'), first('lost'));
    expect([await statusOf(id), await escrowOf(service.db, id)]).toEqual(['REFUNDED', 1200]);
    expect((await potsOf(seller)).EARNED).toBe(0);
    await sendEvents(service, second('won'));
    expect([await potsOf(seller), await escrowOf(service.db, id)]).toEqual([
      { EARNED: 1080, CREDIT: 0 },
      0,
    ]);
  });

  test('take the rest back when the second comes after the first was lost', async () => {
    const id = await newOrder();
    const { checkout, first, second } = two(id);
    await sendEvents(service, checkout.paid());
    await complete(id);
    await sendEvents(service, first('needs_response'), first('lost'));
    expect((await potsOf(seller)).EARNED).toBe(1080);
    expect((await askPayout(1000)).status).toBe(201);
    await sendEvents(service, second('needs_response'));
    expect((await potsOf(seller)).EARNED).toBe(-1000);
    await sendEvents(service, second('lost'));
    expect([await potsOf(seller), await potsOf(buyer)]).toEqual([
      { EARNED: -1000, CREDIT: 0 },
      { EARNED: 0, CREDIT: 0 },
    ]);
  });

  test('give the rest of an undelivered order to the buyer as credit when all are decided', async () => {
    const id = await newOrder();
    const { checkout, first, second } = two(id);
    await sendEvents(service, checkout.paid());
    await sendEvents(service, first('needs_response'), second('needs_response'), first('lost'));
    expect((await potsOf(buyer)).CREDIT).toBe(0);
    await sendEvents(service, second('won'));
    expect([await potsOf(seller), await potsOf(buyer)]).toEqual([
      { EARNED: 0, CREDIT: 0 },
      { EARNED: 0, CREDIT: 1200 },
    ]);
  });
});

test('an order that is disputed before it is completed keeps its money in escrow', async () => {
  const id = await newOrder();
  const checkout = checkoutFor(id, buyer);
  await sendEvents(service, checkout.paid(), checkout.disputed('needs_response'));
  await complete(id);
  expect([await statusOf(id), await escrowOf(service.db, id)]).toEqual(['COMPLETED', 2000]);
  expect((await potsOf(seller)).EARNED).toBe(0);
  await sendEvents(service, checkout.disputed('won'));
  expect((await potsOf(seller)).EARNED).toBe(1800);
});

test('a dispute is matched by its charge once an event has linked the charge to the payment', async () => {
  const id = await newOrder();
  const checkout = checkoutFor(id, buyer);
  await sendEvents(service, checkout.paid(), checkout.refunded(500));
  await sendEvents(service, checkout.disputed('lost', { payment_intent: null, amount: 1500 }));
  expect(await statusOf(id)).toBe('REFUNDED');
});

test('credit from a late payment is held while the payment is disputed, and lost with the dispute', async () => {
  const id = await newOrder();
  const [first, late] = [checkoutFor(id, buyer), checkoutFor(id, buyer)];
  await sendEvents(service, first.paid(), late.paid());
  expect((await potsOf(buyer)).CREDIT).toBe(2000);
  await sendEvents(service, late.disputed('needs_response'));
  expect((await potsOf(buyer)).CREDIT).toBe(0);
  await sendEvents(service, late.disputed('lost'));
  expect([(await potsOf(buyer)).CREDIT, await statusOf(id)]).toEqual([0, 'PAID']);
});

test('a dispute ends the same in any order of its events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('won' as const, 'lost' as const),
      fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 }),
      fc.boolean(),
      async (end, order, isCompleted) => {
        const id = await newOrder();
        const checkout = checkoutFor(id, buyer);
        const events = [
          checkout.paid(),
          checkout.disputed('needs_response'),
          checkout.disputed(end),
        ];
        for (const at of order) {
          const event = events[at];
          if (event) await sendEvents(service, event, event);
        }
        const isLost = end === 'lost';
        await eventually(20_000, async () =>
          expect(await statusOf(id)).toBe(isLost ? 'REFUNDED' : 'PAID'),
        );
        if (isCompleted && !isLost) await complete(id);
        const isEarned = isCompleted && !isLost;
        expect((await potsOf(seller)).EARNED).toBe(isEarned ? 1800 : 0);
        await expectSoundLedger(service.db);
      },
    ),
    tries(3),
  );
  expect((await accountsOf(service.db)).get('platform:disputes') ?? 0).toBe(0);
});

describe('a dispute about a plan', () => {
  const subscribed = async () => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    const subscription = cardSubscription(tenant.accountId);
    const [charge, intent] = [newRef('ch'), newRef('pi')];
    await sendCard(service, subscription.checkout('PREMIUM'));
    const paid = subscription.payment(1_900_000_000);
    Object.assign(paid.data.object, { charge, payment_intent: intent });
    await sendCard(service, paid);
    const dispute = (status: string, more: object) =>
      sendCard(
        service,
        cardEvent(`charge.dispute.${status === 'needs_response' ? 'created' : 'closed'}`, {
          ...{ id: `dp_${charge}`, amount: 500, currency: 'usd', status, ...more },
        }),
      );
    return { tenant, dispute, charge, intent };
  };

  test('makes it PAST_DUE, and ACTIVE again when won', async () => {
    const { tenant, dispute, intent } = await subscribed();
    await dispute('needs_response', { payment_intent: intent });
    expect((await accountOf(tenant)).subscription.status).toBe('PAST_DUE');
    expect((await accountOf(tenant)).plan).toBe('PREMIUM');
    await dispute('won', { payment_intent: intent });
    expect((await accountOf(tenant)).subscription.status).toBe('ACTIVE');
  });

  test('is matched by the payment intent that only the checkout named', async () => {
    const { tenant, dispute } = await subscribed();
    const [intent, other] = [newRef('pi'), cardSubscription(tenant.accountId)];
    await dispute('lost', { payment_intent: intent });
    const more = { payment_intent: intent };
    await sendCard(service, other.checkout('BUSINESS', undefined, more));
    await eventually(20_000, async () => expect((await accountOf(tenant)).plan).toBe('PREMIUM'));
  });

  test('ends the plan when lost, also when it is reported first, and by the charge alone', async () => {
    const { tenant, dispute, charge } = await subscribed();
    await dispute('lost', { charge });
    await dispute('needs_response', { charge });
    const { plan, subscription } = await accountOf(tenant);
    expect([plan, subscription.status]).toEqual(['FREE', 'CANCELLED']);
  });
});

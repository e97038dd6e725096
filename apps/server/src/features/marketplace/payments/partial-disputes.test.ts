import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import {
  accountsOf,
  escrowOf,
  expectSoundLedger,
} from '../../../../test/harness/billing/ledger.ts';
import { checkoutFor, sendEvents } from '../../../../test/harness/marketplace/checkout.ts';
import {
  actOn,
  createListing,
  orderOf,
  placeOrder,
  potsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { systemActor } from '../../audit/rules.ts';
import { refundOrder, settleReturned } from '../orders/settle.ts';
import { lockOrder } from '../queries/orders.ts';

let service: TestService;
let seller: OwnTenant;
let buyer: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => expectSoundLedger(service.db));
afterAll(() => service.stop());

/** An order of 2000 cents, of which 200 are the fee. */
const newOrder = async () => {
  seller = await service.newTenant({ plan: 'PREMIUM' });
  buyer = await service.newTenant();
  const { id: listingId } = await createListing(seller);
  const { id } = (await placeOrder(buyer, listingId, { quantity: 2 })).body.data;
  const checkout = checkoutFor(id, buyer);
  await sendEvents(service, checkout.paid());
  return { id: String(id), checkout };
};

const complete = async (id: string): Promise<void> => {
  await actOn(seller, id, 'deliver', { delivered: 2 });
  expect((await actOn(buyer, id, 'confirm')).status).toBe(200);
};

const lossesOf = async () => (await accountsOf(service.db)).get('platform:losses') ?? 0;

const part = (id: string, amount = 1000) => ({ id, amount });

test('of two disputes about halves of a charge, both lost, the seller keeps nothing', async () => {
  const { id, checkout } = await newOrder();
  await complete(id);
  const [one, other] = [part(`dp_one_${id}`), part(`dp_other_${id}`)];
  await sendEvents(
    service,
    checkout.disputed('needs_response', one),
    checkout.disputed('needs_response', other),
    checkout.disputed('lost', one),
  );
  expect([(await potsOf(seller)).EARNED, await escrowOf(service.db, id)]).toEqual([0, 1000]);
  await sendEvents(service, checkout.disputed('lost', other));
  expect([(await potsOf(seller)).EARNED, await escrowOf(service.db, id)]).toEqual([0, 0]);
  expect([(await orderOf(buyer, id)).status, await lossesOf()]).toEqual(['REFUNDED', 0]);
});

test('of two disputes about halves of a charge, one lost and one won, the seller keeps half', async () => {
  const { id, checkout } = await newOrder();
  await complete(id);
  const [one, other] = [part(`dp_one_${id}`), part(`dp_other_${id}`)];
  await sendEvents(
    service,
    checkout.disputed('needs_response', one),
    checkout.disputed('needs_response', other),
    checkout.disputed('lost', one),
    checkout.disputed('won', other),
  );
  expect([(await potsOf(seller)).EARNED, await escrowOf(service.db, id)]).toEqual([900, 0]);
});

test('a refund that is reported after the dispute about the rest was lost is taken from the seller', async () => {
  const { id, checkout } = await newOrder();
  await complete(id);
  await sendEvents(service, checkout.disputed('lost', { amount: 1500 }), checkout.refunded(500));
  expect([(await potsOf(seller)).EARNED, await lossesOf()]).toEqual([0, 0]);
});

test.each([
  ['won', 2000],
  ['lost', 0],
] as const)(
  'what fails while it is disputed gives no credit before the dispute is %s',
  async (end, creditCents) => {
    const { id, checkout } = await newOrder();
    await sendEvents(service, checkout.disputed('needs_response'));
    await service.db.transaction(async (tx) => {
      const order = await lockOrder(tx, id);
      if (order) await settleReturned(tx, order, 'fail', { actor: systemActor });
    });
    expect((await orderOf(buyer, id)).status).toBe('FAILED');
    expect((await potsOf(buyer)).CREDIT).toBe(0);
    await sendEvents(service, checkout.disputed(end));
    expect([(await potsOf(buyer)).CREDIT, await escrowOf(service.db, id)]).toEqual([
      creditCents,
      0,
    ]);
  },
);

test.each([
  ['completed', 'won', { EARNED: 1350, CREDIT: 0 }, 0],
  ['completed', 'lost', { EARNED: 450, CREDIT: 0 }, 0],
  ['paid', 'won', { EARNED: 0, CREDIT: 0 }, 1500],
  ['paid', 'lost', { EARNED: 0, CREDIT: 500 }, 0],
] as const)(
  'a refund of a %s order during a dispute is taken from what is held; the rest follows when it is %s',
  async (stage, end, pots, heldCents) => {
    const { id, checkout } = await newOrder();
    if (stage === 'completed') await complete(id);
    const half = part(`dp_${id}`);
    await sendEvents(service, checkout.disputed('needs_response', half), checkout.refunded(500));
    const money = async () => {
      const [{ EARNED }, { CREDIT }] = [await potsOf(seller), await potsOf(buyer)];
      return [{ EARNED, CREDIT }, await escrowOf(service.db, id)];
    };
    expect(await money()).toEqual([{ EARNED: 0, CREDIT: 0 }, 1500]);
    // The card provider decides, not the operator.
    const byOperator = service.db.transaction((tx) => refundOrder(tx, id, systemActor));
    expect(await byOperator).toBeUndefined();
    await sendEvents(service, checkout.disputed(end, half));
    expect(await money()).toEqual([pots, heldCents]);
  },
);

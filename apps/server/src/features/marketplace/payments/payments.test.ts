import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { alertsOf } from '../../../../test/harness/alerts.ts';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  eventsOf,
  newRef,
  type RawCardEvent,
  sendCrypto,
} from '../../../../test/harness/billing/events.ts';
import { escrowOf, expectSoundLedger } from '../../../../test/harness/billing/ledger.ts';
import {
  checkoutFor as checkoutOf,
  sendEvents,
} from '../../../../test/harness/marketplace/checkout.ts';
import {
  actOn,
  balanceOf,
  orderBetweenNewAccounts,
  orderOf,
  transactionsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';

let service: TestService;
let seller: OwnTenant;
let buyer: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => expectSoundLedger(service.db));
afterAll(() => service.stop());

const newOrder = async (payWith?: string): Promise<string> => {
  const order = await orderBetweenNewAccounts(service, payWith);
  ({ seller, buyer } = order);
  return order.id;
};

const statusOf = async (id: string) => (await orderOf(buyer, id)).status;

const checkoutFor = (orderId: string) => checkoutOf(orderId, buyer);
const send = (...events: RawCardEvent[]) => sendEvents(service, ...events);

const outcomes = async (): Promise<string[]> =>
  (await eventsOf(buyer)).map(({ outcome }: { outcome: string }) => outcome).toReversed();

test('an order is paid by the right amount of a payment that was wrong before', async () => {
  const id = await newOrder('CRYPTO');
  const tell = (amount: number) =>
    sendCrypto(service, {
      ...{ track_id: `track-${id}`, order_id: id, status: 'Paid', amount, currency: 'USD' },
    });
  await tell(19.99);
  expect(await statusOf(id)).toBe('PENDING');
  expect(await alertsOf(buyer)).toMatchObject([
    {
      ...{ kind: 'PAYMENT_FAILED', title: 'A payment for an order was not accepted' },
      href: `/dashboard/marketplace/orders/${id}`,
    },
  ]);
  await tell(20);
  await tell(20);
  expect(await statusOf(id)).toBe('PAID');
  expect(await escrowOf(service.db, id)).toBe(2000);
  expect(await outcomes()).toEqual(['APPLIED']);
});

describe('by card', () => {
  test('an order is paid once, however often the payment is reported', async () => {
    const id = await newOrder();
    const checkout = checkoutFor(id);
    const event = checkout.paid();
    // The provider may also send another event about the same checkout.
    await send(event, event, checkout.paid());
    expect(await orderOf(buyer, id)).toMatchObject({ status: 'PAID', checkoutUrl: null });
    expect(await escrowOf(service.db, id)).toBe(2000);
    expect(await transactionsOf(buyer)).toEqual([]);
    expect(await outcomes()).toEqual(['APPLIED', 'IGNORED']);
    for (const party of [buyer, seller]) {
      expect((await auditOf(party)).data[0]).toMatchObject({
        ...{ action: 'order.pay', actor: { type: 'BILLING' }, subject: { id } },
        changes: { events: [event.id], status: { from: 'PENDING', to: 'PAID' } },
      });
    }
  });

  test('the seller gets the money when the buyer confirms', async () => {
    const id = await newOrder();
    await send(checkoutFor(id).paid());
    await actOn(seller, id, 'deliver', { delivered: 2 });
    expect((await actOn(buyer, id, 'confirm')).body.data.status).toBe('COMPLETED');
    expect(await transactionsOf(seller)).toEqual(['SALE 2000', 'FEE -200']);
    expect(await escrowOf(service.db, id)).toBe(0);
  });

  test.each([
    ['too little', { amount_total: 1999 }],
    ['too much', { amount_total: 2001 }],
    ['another currency', { currency: 'eur' }],
    ['no amount', { amount_total: null }],
    ['the amount as text', { amount_total: '2000' }],
    ['no currency', { currency: undefined }],
    ['a status that nobody knows', { payment_status: 'settling' }],
  ])('%s pays nothing, and the order can still be paid in full', async (_, more) => {
    const id = await newOrder();
    const wrong = checkoutFor(id);
    await send(wrong.paid(more));
    expect(await statusOf(id)).toBe('PENDING');
    expect(await outcomes()).toEqual(['MISMATCH']);
    await send(checkoutFor(id).paid());
    expect(await statusOf(id)).toBe('PAID');
  });

  test('a second payment, or one after the order was cancelled, becomes the buyer’s credit', async () => {
    const twice = await newOrder();
    await send(checkoutFor(twice).paid(), checkoutFor(twice).paid());
    expect(await statusOf(twice)).toBe('PAID');
    expect(await transactionsOf(buyer)).toEqual(['REFUND 2000']);
    expect((await auditOf(buyer)).data[0]).toMatchObject({
      action: 'order.credit',
      changes: { amountCents: 2000 },
    });
    const late = await newOrder();
    await actOn(buyer, late, 'cancel');
    await send(checkoutFor(late).paid());
    expect([await statusOf(late), await balanceOf(buyer)]).toEqual(['CANCELLED', 2000]);
    expect(await outcomes()).toEqual(['APPLIED']);
  });

  test.each([{ amount_total: '2000' }, { currency: null }])(
    'a payment after the order was cancelled becomes no credit where it cannot be read: %p',
    async (more) => {
      const id = await newOrder();
      await actOn(buyer, id, 'cancel');
      await send(checkoutFor(id).paid(more));
      expect(await outcomes()).toEqual(['MISMATCH']);
      expect([await statusOf(id), await balanceOf(buyer)]).toEqual(['CANCELLED', 0]);
    },
  );

  test('a payment for an order that does not exist is logged, and moves no money', async () => {
    await newOrder();
    await send(checkoutFor(crypto.randomUUID()).paid());
    expect(await transactionsOf(buyer)).toEqual([]);
  });
});

describe('with coins', () => {
  const notify = async (orderId: string, status: string, more: object = {}) => {
    const body = { track_id: newRef('t'), order_id: orderId, status, amount: 20, currency: 'USD' };
    const reply = await sendCrypto(service, { ...body, ...more });
    expect([reply.status, reply.text]).toEqual([200, 'ok']);
  };

  test('an order is paid when they are confirmed, not before', async () => {
    const id = await newOrder('CRYPTO');
    await notify(id, 'Paying', { track_id: id });
    expect(await statusOf(id)).toBe('PENDING');
    await notify(id, 'Paid', { track_id: id });
    await notify(id, 'Paid', { track_id: id });
    expect(await statusOf(id)).toBe('PAID');
    expect(await outcomes()).toEqual(['IGNORED', 'APPLIED']);
    expect(await escrowOf(service.db, id)).toBe(2000);
  });

  test.each([
    ['Expired', 'EXPIRED'],
    ['Failed', 'FAILED'],
  ])(
    'an order whose invoice is %s ends, and later coins become the buyer’s credit',
    async (state, status) => {
      const id = await newOrder('CRYPTO');
      await notify(id, state);
      expect(await statusOf(id)).toBe(status);
      await notify(id, state);
      await notify(id, 'Paid');
      expect([await statusOf(id), await balanceOf(buyer)]).toEqual([status, 2000]);
      expect(await outcomes()).toEqual(['APPLIED', 'IGNORED', 'APPLIED']);
    },
  );

  test('a paid order does not expire', async () => {
    const id = await newOrder('CRYPTO');
    await notify(id, 'Paid');
    await notify(id, 'Expired');
    expect(await statusOf(id)).toBe('PAID');
  });

  test('too few coins pay nothing', async () => {
    const id = await newOrder('CRYPTO');
    await notify(id, 'Paid', { amount: 19.99 });
    expect(await statusOf(id)).toBe('PENDING');
    expect(await outcomes()).toEqual(['MISMATCH']);
  });
});

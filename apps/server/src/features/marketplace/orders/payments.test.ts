import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/audit-entries.ts';
import { type CardEvent, eventsOf, newRef, sendCrypto } from '../../../../test/billing-scene.ts';
import { checkoutFor as checkoutOf, sendEvents } from '../../../../test/checkout-scene.ts';
import { type OwnTenant, startTestService, type TestService } from '../../../../test/harness.ts';
import { escrowOf, expectSoundLedger } from '../../../../test/ledger-check.ts';
import {
  actOn,
  balanceOf,
  createListing,
  movesOf,
  orderOf,
  placeOrder,
} from '../../../../test/market-scene.ts';

let service: TestService;
let seller: OwnTenant;
let buyer: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
}, 30_000);
afterEach(() => expectSoundLedger(service.db));
afterAll(() => service.stop());

/** Of two who have never dealt with each other. */
const newOrder = async (payWith = 'CARD') => {
  seller = await service.newTenant({ plan: 'PREMIUM' });
  buyer = await service.newTenant();
  const { id: listingId } = await createListing(seller);
  const { id } = (await placeOrder(buyer, listingId, { payWith, quantity: 2 })).body.data;
  return id;
};

const statusOf = async (id: string) => (await orderOf(buyer, id)).status;

const checkoutFor = (orderId: string) => checkoutOf(orderId, buyer);
const send = (...events: CardEvent[]) => sendEvents(service, ...events);

const outcomes = async (): Promise<string[]> =>
  (await eventsOf(buyer)).map(({ outcome }: { outcome: string }) => outcome).toReversed();

describe('by card', () => {
  test('an order is paid once, however often that is told', async () => {
    const id = await newOrder();
    const checkout = checkoutFor(id);
    const event = checkout.paid();
    // The provider may make another event of the same checkout, too.
    await send(event, event, checkout.paid());
    expect(await orderOf(buyer, id)).toMatchObject({ status: 'PAID', checkoutUrl: null });
    expect(await escrowOf(service.db, id)).toBe(2000);
    expect(await movesOf(buyer)).toEqual([]);
    expect(await outcomes()).toEqual(['APPLIED', 'IGNORED']);
    for (const party of [buyer, seller]) {
      expect((await auditOf(party)).data[0]).toMatchObject({
        ...{ action: 'order.pay', actor: { type: 'BILLING' }, subject: { id } },
        changes: { events: [event.id], status: { from: 'PENDING', to: 'PAID' } },
      });
    }
  });

  test('the money becomes the seller’s with the buyer’s word', async () => {
    const id = await newOrder();
    await send(checkoutFor(id).paid());
    await actOn(seller, id, 'deliver', { delivered: 2 });
    expect((await actOn(buyer, id, 'confirm')).body.data.status).toBe('COMPLETED');
    expect(await movesOf(seller)).toEqual(['SALE 2000', 'FEE -200']);
    expect(await escrowOf(service.db, id)).toBe(0);
  });

  test.each([
    ['too little', { amount_total: 1999 }],
    ['too much', { amount_total: 2001 }],
    ['another currency', { currency: 'eur' }],
  ])('%s pays nothing, and what was asked for still does', async (_, more) => {
    const id = await newOrder();
    const wrong = checkoutFor(id);
    await send(wrong.paid(more));
    expect(await statusOf(id)).toBe('PENDING');
    expect(await outcomes()).toEqual(['MISMATCH']);
    await send(checkoutFor(id).paid());
    expect(await statusOf(id)).toBe('PAID');
  });

  test('what is paid twice, or after the order was cancelled, is the buyer’s balance', async () => {
    const twice = await newOrder();
    await send(checkoutFor(twice).paid(), checkoutFor(twice).paid());
    expect(await statusOf(twice)).toBe('PAID');
    expect(await movesOf(buyer)).toEqual(['REFUND 2000']);
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

  test('money for an order that never was is told, and moves nothing', async () => {
    await newOrder();
    await send(checkoutFor(crypto.randomUUID()).paid());
    expect(await movesOf(buyer)).toEqual([]);
  });
});

describe('with coins', () => {
  const tell = async (orderId: string, status: string, more: object = {}) => {
    const body = { track_id: newRef('t'), order_id: orderId, status, amount: 20, currency: 'USD' };
    const reply = await sendCrypto(service, { ...body, ...more });
    expect([reply.status, reply.text]).toEqual([200, 'ok']);
  };

  test('an order is paid when they are confirmed, not before', async () => {
    const id = await newOrder('CRYPTO');
    await tell(id, 'Paying', { track_id: id });
    expect(await statusOf(id)).toBe('PENDING');
    await tell(id, 'Paid', { track_id: id });
    await tell(id, 'Paid', { track_id: id });
    expect(await statusOf(id)).toBe('PAID');
    expect(await outcomes()).toEqual(['IGNORED', 'APPLIED']);
    expect(await escrowOf(service.db, id)).toBe(2000);
  });

  test.each([
    ['Expired', 'EXPIRED'],
    ['Failed', 'FAILED'],
  ])('one that is %s ends, and coins that come then are the buyer’s', async (told, status) => {
    const id = await newOrder('CRYPTO');
    await tell(id, told);
    expect(await statusOf(id)).toBe(status);
    await tell(id, told);
    await tell(id, 'Paid');
    expect([await statusOf(id), await balanceOf(buyer)]).toEqual([status, 2000]);
    expect(await outcomes()).toEqual(['APPLIED', 'IGNORED', 'APPLIED']);
  });

  test('a paid one does not expire', async () => {
    const id = await newOrder('CRYPTO');
    await tell(id, 'Paid');
    await tell(id, 'Expired');
    expect(await statusOf(id)).toBe('PAID');
  });

  test('too few pay nothing', async () => {
    const id = await newOrder('CRYPTO');
    await tell(id, 'Paid', { amount: 19.99 });
    expect(await statusOf(id)).toBe('PENDING');
    expect(await outcomes()).toEqual(['MISMATCH']);
  });
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { checkoutFor, sendEvents } from '../../../../test/harness/marketplace/checkout.ts';
import {
  actOn,
  createListing,
  credit,
  orderOf,
  placeOrder,
  transactionsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { feeOf, feeOfRemaining } from '../rules.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('an order of one cent costs its seller a fee of one cent', async () => {
  const seller = await service.newTenant({ plan: 'ENTERPRISE' });
  const buyer = await service.newTenant();
  await credit(buyer, 1);
  const { id: listingId } = await createListing(seller, { priceCents: 1 });
  const placed = (await placeOrder(buyer, listingId, { payWith: 'BALANCE' })).body.data;
  expect(placed).toMatchObject({ totalCents: 1, feeCents: 1 });
  await actOn(seller, placed.id, 'deliver', { delivered: 1 });
  await actOn(buyer, placed.id, 'confirm');
  expect(await transactionsOf(seller)).toEqual(['SALE 1', 'FEE -1']);
});

test.each([
  [0, 15, 0],
  [1, 0, 0],
  [1, 5, 1],
  [9, 5, 1],
  [10, 5, 1],
  [30, 5, 2],
  [1000, 7.5, 75],
])('of %p cents at %p percent the fee is %p', (cents, percent, fee) => {
  expect(feeOf(cents, percent)).toBe(fee);
});

test('the rest of a refunded order has a fee of at least one cent, and a full refund has none', () => {
  const order = { status: 'COMPLETED', totalCents: 1000, feeCents: 1, refundedCents: 999 } as const;
  expect(feeOfRemaining(order)).toBe(1);
  expect(feeOfRemaining({ ...order, refundedCents: 1000 })).toBe(0);
});

test('`updatedAt` is never before `paidAt` or `completedAt`', async () => {
  const seller = await service.newTenant();
  const buyer = await service.newTenant();
  const { id: listingId } = await createListing(seller);
  for (let round = 0; round < 5; round++) {
    const { id } = (await placeOrder(buyer, listingId, { quantity: 2 })).body.data;
    await sendEvents(service, checkoutFor(id, buyer).paid());
    const paid = await orderOf(buyer, id);
    expect(paid.updatedAt >= paid.paidAt).toBe(true);
    await actOn(seller, id, 'deliver', { delivered: 2 });
    await actOn(buyer, id, 'confirm');
    const done = await orderOf(buyer, id);
    expect(done.updatedAt >= done.completedAt && done.completedAt >= done.paidAt).toBe(true);
  }
});

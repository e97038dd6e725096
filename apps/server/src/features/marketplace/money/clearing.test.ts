import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { ledgerOf } from '../../../../test/harness/billing/events.ts';
import { expectSoundLedger } from '../../../../test/harness/billing/ledger.ts';
import { checkoutFor, sendEvents } from '../../../../test/harness/marketplace/checkout.ts';
import {
  actOn,
  createListing,
  credit,
  orderOf,
  placeOrder,
  potsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
  testBilling,
} from '../../../../test/harness/service.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { findClearing } from './clearing.ts';

const dayMs = 86_400_000;
let aheadMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + aheadMs) };
const billing = { ...testBilling, earningsClearDays: 7 };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ clock, billing });
});
afterEach(async () => {
  aheadMs = 0;
  await expectSoundLedger(service.db);
});
afterAll(() => service.stop());

const payOut = (tenant: OwnTenant, amountCents: number) =>
  tenant.call('POST', '/api/v1/marketplace/payouts', { body: { amountCents } });

const clearingOf = ({ accountId }: OwnTenant) =>
  findClearing(service.db, { clock, billing }, { accountId, currency: 'USD' });

/** A sale of 2000 cents by card that the buyer has confirmed; its fee is 200. */
const sell = async (seller: OwnTenant) => {
  const buyer = await service.newTenant();
  const { id: listingId } = await createListing(seller);
  const { id } = (await placeOrder(buyer, listingId, { quantity: 2 })).body.data;
  const checkout = checkoutFor(id, buyer);
  await sendEvents(service, checkout.paid());
  await actOn(seller, id, 'deliver', { delivered: 2 });
  expect((await actOn(buyer, id, 'confirm')).status).toBe(200);
  return checkout;
};

test('a sale on a stolen card can neither be paid out nor spent at an accomplice before it has cleared', async () => {
  const [seller, accomplice] = [
    await service.newTenant({ plan: 'PREMIUM' }),
    await service.newTenant(),
  ];
  const checkout = await sell(seller);
  const { id: listingId } = await createListing(accomplice, { priceCents: 1 });
  const spend = () => placeOrder(seller, listingId, { payWith: 'BALANCE' });
  for (const aheadDays of [0, 6.9]) {
    aheadMs = aheadDays * dayMs;
    expect(await clearingOf(seller)).toBe(1800);
    const refused = await payOut(seller, 1);
    expect([refused.status, refused.body.error]).toEqual([
      403,
      'Your balance is too small: 1800 cents of it have not cleared yet',
    ]);
    expect((await spend()).status).toBe(403);
  }
  aheadMs = 0;
  await sendEvents(service, checkout.disputed('needs_response'), checkout.disputed('lost'));
  aheadMs = 8 * dayMs;
  expect((await payOut(seller, 1)).status).toBe(403);
  expect((await spend()).status).toBe(403);
  expect(await potsOf(seller)).toEqual({ EARNED: 0, CREDIT: 0 });
});

test('a sale that nobody disputes clears after seven days, all but its fee', async () => {
  const seller = await service.newTenant({ plan: 'PREMIUM' });
  await sell(seller);
  aheadMs = 7.1 * dayMs;
  expect(await clearingOf(seller)).toBe(0);
  expect((await payOut(seller, 1801)).status).toBe(403);
  expect((await payOut(seller, 1800)).status).toBe(201);
});

test('what was earned before stays available, and a refund counts only against what clears', async () => {
  const seller = await service.newTenant({ plan: 'PREMIUM' });
  await credit(seller, 500);
  const checkout = await sell(seller);
  await sendEvents(service, checkout.refunded(1000));
  expect(await clearingOf(seller)).toBe(900);
  expect((await payOut(seller, 501)).status).toBe(403);
  expect((await payOut(seller, 500)).status).toBe(201);
  expect((await payOut(seller, 1)).status).toBe(403);
});

test('a dispute that is won gives back what has cleared meanwhile', async () => {
  const seller = await service.newTenant({ plan: 'PREMIUM' });
  const checkout = await sell(seller);
  await sendEvents(service, checkout.disputed('needs_response'));
  expect([await clearingOf(seller), (await potsOf(seller)).EARNED]).toEqual([0, 0]);
  await sendEvents(service, checkout.disputed('won'));
  expect(await clearingOf(seller)).toBe(1800);
  aheadMs = 8 * dayMs;
  expect((await payOut(seller, 1800)).status).toBe(201);
});

test('a plan can be paid with earnings that have not cleared, for that money stays here', async () => {
  const seller = await service.newTenant({ plan: 'FREE' });
  await sell(seller);
  const plan = { plan: 'PREMIUM', payWith: 'BALANCE' };
  expect((await seller.call('POST', '/api/v1/billing/invoices', { body: plan })).status).toBe(201);
  expect((await payOut(seller, 1)).status).toBe(403);
});

test('the ledger tells when a sale clears', async () => {
  const seller = await service.newTenant({ plan: 'PREMIUM' });
  await sell(seller);
  const [fee, sale] = await ledgerOf(seller);
  expect([fee.type, fee.clearsAt]).toEqual(['FEE', null]);
  expect(Date.parse(sale.clearsAt) - Date.parse(sale.createdAt)).toBe(7 * dayMs);
});

test('of two purchases at once no more is spent than has cleared', async () => {
  const [seller, other] = [await service.newTenant({ plan: 'PREMIUM' }), await service.newTenant()];
  await sell(seller);
  await credit(seller, 1000);
  const { id: listingId } = await createListing(other, { priceCents: 700 });
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => placeOrder(seller, listingId, { payWith: 'BALANCE' })),
  );
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  const placed = replies.find(({ status }) => status === 201)?.body.data;
  expect((await orderOf(seller, placed.id)).status).toBe('PAID');
});

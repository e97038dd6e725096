import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  actOn,
  balanceOf,
  createListing,
  credit,
  orderOf,
  placeOrder,
  transactionsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { expireDueOrders } from '../jobs.ts';

let service: TestService;
let seller: OwnTenant;
let buyer: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
  seller = await service.newTenant({ plan: 'BUSINESS' });
  buyer = await service.newTenant();
});
afterAll(() => service.stop());

const actionsOf = async (tenant: OwnTenant): Promise<string[]> =>
  (await auditOf(tenant)).data.map(({ action }: { action: string }) => action);

const newOrder = async (more: object = {}, listing: object = {}) => {
  const { id } = await createListing(seller, listing);
  const reply = await placeOrder(buyer, id, more);
  expect(reply.status).toBe(201);
  return reply.body.data;
};

const paidOrder = async (more: object = {}) => {
  await credit(buyer, 100_000);
  const order = await newOrder({ payWith: 'BALANCE', ...more });
  expect(order.status).toBe('PAID');
  return order;
};

/** Runs the job as of so many minutes from now. */
const keepTimeIn = async (minutes: number): Promise<void> => {
  const at = new Date(Date.now() + minutes * 60_000);
  const { db, queue, log } = service;
  const dependencies = { db, queue, log, clock: { now: () => at } };
  await expireDueOrders(dependencies, new AbortController().signal);
};

describe('from the balance', () => {
  test('the money is in escrow until the buyer confirms, then the seller gets it without the fee', async () => {
    const shop = await service.newTenant({ plan: 'BUSINESS' });
    const payer = await service.newTenant();
    await credit(payer, 2500);
    const { id: listingId } = await createListing(shop);
    const { id } = (await placeOrder(payer, listingId, { payWith: 'BALANCE', quantity: 2 })).body
      .data;
    expect(await transactionsOf(payer)).toEqual(['ADJUSTMENT 2500', 'PURCHASE -2000']);
    expect(await transactionsOf(shop)).toEqual([]);
    await actOn(shop, id, 'deliver', { delivered: 2 });
    expect(await transactionsOf(shop)).toEqual([]);
    const confirmed = await actOn(payer, id, 'confirm');
    expect(confirmed.body.data).toMatchObject({
      status: 'COMPLETED',
      fulfillment: { status: 'completed', progress: 100, delivered: 2, total: 2 },
    });
    expect(await transactionsOf(shop)).toEqual(['SALE 2000', 'FEE -150']);
    expect([await balanceOf(payer), await balanceOf(shop)]).toEqual([500, 1850]);
    const { data } = (await shop.call('GET', '/api/v1/marketplace/listings?sort=popular')).body;
    expect(data[0]).toMatchObject({ id: listingId, salesCount: 1 });
  });

  test('of fifty orders at once, with money for one, one is paid', async () => {
    const payer = await service.newTenant();
    await credit(payer, 1999);
    const { id } = await createListing(seller);
    const tried = await Promise.all(
      Array.from({ length: 50 }, () => placeOrder(payer, id, { payWith: 'BALANCE' })),
    );
    const statuses = tried.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    // Requests that waited too long were refused with a retry hint.
    expect(statuses.filter((status) => ![201, 403, 429].includes(status))).toEqual([]);
    expect(statuses.filter((status) => status === 403).length).toBeGreaterThan(0);
    expect(await transactionsOf(payer)).toEqual(['ADJUSTMENT 1999', 'PURCHASE -1000']);
    const { pagination } = (await payer.call('GET', '/api/v1/marketplace/orders')).body;
    expect(pagination.total).toBe(1);
  });

  test('the same order asked for twice under one idempotency key is paid once', async () => {
    const payer = await service.newTenant();
    await credit(payer, 5000);
    const { id: listingId } = await createListing(seller);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const ask = () =>
      payer.call('POST', '/api/v1/marketplace/orders', {
        ...{ headers, body: { listingId, payWith: 'BALANCE' } },
      });
    const [first, second] = [await ask(), await ask()];
    expect(second.body).toEqual(first.body);
    expect(await balanceOf(payer)).toBe(4000);
  });
});

describe('delivery by hand', () => {
  test('only increases, and is in both parties’ audit logs', async () => {
    const { id } = await paidOrder({ quantity: 4 });
    const report = async (delivered: number) => actOn(seller, id, 'deliver', { delivered });
    const begun = await report(0);
    expect(begun.body.data).toMatchObject({
      status: 'FULFILLING',
      fulfillment: { status: 'running', progress: 0, delivered: 0, total: 4 },
    });
    expect((await report(3)).body.data.fulfillment).toMatchObject({ progress: 75, delivered: 3 });
    expect((await report(3)).status).toBe(200);
    expect((await report(2)).status).toBe(409);
    const tooMany = await report(5);
    expect([tooMany.status, Object.keys(tooMany.body.details.fieldErrors)]).toEqual([
      400,
      ['delivered'],
    ]);
    expect((await actionsOf(seller)).slice(0, 3)).toEqual([
      'order.deliver',
      'order.deliver',
      'order.pay',
    ]);
    const [entry] = (await auditOf(buyer)).data;
    expect(entry).toMatchObject({ action: 'order.deliver', subject: { type: 'order', id } });
    // The buyer must not see the seller's key.
    expect(entry.actor).toEqual({ type: 'SYSTEM', id: null });
  });

  test('is reported by the seller and confirmed by the buyer', async () => {
    const { id } = await paidOrder();
    const wrong = await actOn(buyer, id, 'deliver', { delivered: 1 });
    expect([wrong.status, wrong.body.error]).toEqual([403, expect.stringContaining('seller')]);
    expect((await actOn(buyer, id, 'confirm')).status).toBe(409);
    await actOn(seller, id, 'deliver', { delivered: 1 });
    expect((await actOn(seller, id, 'confirm')).status).toBe(403);
    expect((await actOn(buyer, id, 'confirm')).status).toBe(200);
    expect((await actOn(buyer, id, 'confirm')).status).toBe(409);
    expect((await actOn(seller, id, 'deliver', { delivered: 1 })).status).toBe(409);
  });

  test('is confirmed automatically 14 days after everything was delivered, and not before', async () => {
    const { id } = await paidOrder({ quantity: 2 });
    const { id: partial } = await paidOrder({ quantity: 2 });
    await actOn(seller, id, 'deliver', { delivered: 2 });
    await actOn(seller, partial, 'deliver', { delivered: 1 });
    await keepTimeIn(13.9 * 24 * 60);
    expect((await orderOf(buyer, id)).status).toBe('FULFILLING');
    await keepTimeIn(14.1 * 24 * 60);
    expect((await orderOf(buyer, id)).status).toBe('COMPLETED');
    expect((await orderOf(buyer, partial)).status).toBe('FULFILLING');
  });
});

describe('an unpaid order', () => {
  test('can be cancelled by its buyer, once', async () => {
    const { id } = await newOrder();
    expect((await actOn(seller, id, 'cancel')).status).toBe(403);
    const cancelled = await actOn(buyer, id, 'cancel');
    expect(cancelled.status).toBe(200);
    expect(cancelled.body.data).toMatchObject({
      ...{ status: 'CANCELLED', checkoutUrl: null },
      fulfillment: { status: 'cancelled' },
    });
    expect((await actOn(buyer, id, 'cancel')).status).toBe(409);
    expect((await actionsOf(buyer)).slice(0, 2)).toEqual(['order.cancel', 'order.create']);
  });

  test('expires 15 minutes after its checkout', async () => {
    const { id } = await newOrder();
    await keepTimeIn(65);
    expect((await orderOf(buyer, id)).status).toBe('PENDING');
    await keepTimeIn(80);
    expect(await orderOf(buyer, id)).toMatchObject({ status: 'EXPIRED', checkoutUrl: null });
  });

  test('that has been paid cannot be cancelled', async () => {
    const { id } = await paidOrder();
    expect((await actOn(buyer, id, 'cancel')).status).toBe(409);
  });
});

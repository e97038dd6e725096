import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { auditOf } from '../../../../test/audit-entries.ts';
import {
  createServer,
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness.ts';
import {
  actOn,
  balanceOf,
  createListing,
  credit,
  insertListing,
  movesOf,
  orderOf,
  placeOrder,
} from '../../../../test/market-scene.ts';
import { setPlan } from '../../users/queries.ts';
import { keepUpWithMarket } from '../jobs.ts';
import { orders } from '../table.ts';

let service: TestService;
let seller: OwnTenant;
let buyer: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
  seller = await service.newTenant({ plan: 'BUSINESS' });
  buyer = await service.newTenant();
}, 30_000);
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

/** As the job does, so many minutes from now. */
const keepTimeIn = async (minutes: number): Promise<void> => {
  const at = new Date(Date.now() + minutes * 60_000);
  const { db, queue, log } = service;
  const tools = { db, queue, log, clock: { now: () => at } };
  await keepUpWithMarket(tools, new AbortController().signal);
};

describe('an order', () => {
  test('by card waits to be paid, and shows every field that was decided and no other', async () => {
    const { id: listingId } = await createListing(seller);
    const serverId = await createServer(buyer);
    const reply = await placeOrder(buyer, listingId, { quantity: 3, serverId });
    expect(reply.status).toBe(201);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const order = {
      ...{ id: expect.any(String), listingId, listingTitle: 'A figurehead', serverId },
      ...{ quantity: 3, unitPriceCents: 1000, totalCents: 3000, feeCents: 225, currency: 'USD' },
      ...{ payWith: 'CARD', status: 'PENDING', paidAt: null, completedAt: null },
      fulfillment: { status: 'waiting', progress: 0, delivered: 0, total: 3 },
      ...{ checkoutUrl: expect.stringMatching(/^http/), createdAt: time, updatedAt: time },
    };
    expect(reply.body.data).toEqual(order);
    expect(await orderOf(buyer, reply.body.data.id)).toEqual(order);
  });

  test('is its buyer’s and its seller’s to read, and nobody else’s', async () => {
    const { id } = await newOrder({ serverId: await createServer(buyer) });
    const seen = await orderOf(seller, id);
    // Where the buyer pays and restores is the buyer's own.
    expect(seen).toMatchObject({ id, serverId: null, checkoutUrl: null });
    const stranger = await service.newTenant();
    const reply = await stranger.call('GET', `/api/v1/marketplace/orders/${id}`);
    expect([reply.status, reply.body]).toEqual([404, { error: 'Order not found' }]);
    for (const act of ['cancel', 'confirm']) {
      expect((await actOn(stranger, id, act)).status).toBe(404);
    }
    expect((await actOn(stranger, id, 'deliver', { delivered: 1 })).status).toBe(404);
  });

  test('keeps the price at which it was placed', async () => {
    const { id, listingId } = await newOrder();
    await seller.call('PUT', `/api/v1/marketplace/listings/${listingId}`, {
      body: { priceCents: 9_999, title: 'Dearer' },
    });
    const { unitPriceCents, totalCents, listingTitle } = await orderOf(buyer, id);
    expect([unitPriceCents, totalCents, listingTitle]).toEqual([1000, 1000, 'A figurehead']);
  });

  test('costs the fee of the seller’s plan as it was when it was placed', async () => {
    const poor = await service.newTenant({ plan: 'FREE' });
    const { id: listingId } = await createListing(poor, { priceCents: 333 });
    const before = (await placeOrder(buyer, listingId)).body.data;
    await service.db.transaction((tx) => setPlan(tx, poor.userId, 'ENTERPRISE'));
    const after = (await placeOrder(buyer, listingId)).body.data;
    expect([before.feeCents, after.feeCents]).toEqual([50, 17]);
    expect((await orderOf(buyer, before.id)).feeCents).toBe(50);
  });

  test('of what costs nothing is paid at once', async () => {
    const order = await newOrder({ payWith: 'CRYPTO' }, { priceCents: 0 });
    expect(order).toMatchObject({ status: 'PAID', checkoutUrl: null, totalCents: 0 });
    expect(order.paidAt).not.toBeNull();
  });

  test('is listed for both, newest first', async () => {
    const [one, other] = [await newOrder(), await newOrder()];
    for (const party of [buyer, seller]) {
      const { data, pagination } = (await party.call('GET', '/api/v1/marketplace/orders?limit=2'))
        .body;
      expect(data.map(({ id }: { id: string }) => id)).toEqual([other.id, one.id]);
      expect(pagination.total).toBeGreaterThanOrEqual(2);
    }
    const both = await service.newTenant();
    const own = await createListing(both, { priceCents: 0 });
    const bought = (await placeOrder(both, await insertListing(both))).body.data;
    const sold = (await placeOrder(buyer, own.id)).body.data;
    const { body } = await both.call('GET', '/api/v1/marketplace/orders?limit=1&page=2');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([bought.id]);
    expect(body.pagination).toMatchObject({ total: 2, totalPages: 2 });
    expect((await orderOf(both, sold.id)).id).toBe(sold.id);
  });
});

describe('an order is refused', () => {
  test('by the first thing that speaks against it', async () => {
    const template = { category: 'TEMPLATE' as const, priceCents: 500 };
    const [hidden, shown] = [
      await insertListing(seller, { ...template, isPublished: false }),
      await insertListing(seller, template),
    ];
    const own = await insertListing(seller, {
      ...{ ...template, isPublished: false, sellerId: buyer.userId },
    });
    const foreign = await createServer(seller);
    const server = await createServer(buyer);
    const poor = await service.newTenant();
    const statusOf = async (listingId: string, more: object, who = buyer) => {
      const { status, body } = await placeOrder(who, listingId, { payWith: 'BALANCE', ...more });
      return [status, Object.keys(body.details?.fieldErrors ?? {})[0] ?? body.error];
    };
    expect(await statusOf(crypto.randomUUID(), {})).toEqual([404, 'Listing not found']);
    expect(await statusOf(own, {})).toEqual([403, 'This listing is your own']);
    expect(await statusOf(hidden, {})).toEqual([409, 'This listing is not for sale']);
    expect(await statusOf(shown, { maxTotalCents: 499 })).toEqual([
      409,
      expect.stringContaining('500 cents'),
    ]);
    expect(await statusOf(shown, { maxTotalCents: 500 })).toEqual([400, 'serverId']);
    expect(await statusOf(shown, { serverId: server, quantity: 2 })).toEqual([400, 'quantity']);
    expect(await statusOf(shown, { serverId: foreign })).toEqual([404, 'Server not found']);
    expect(await statusOf(shown, { serverId: await createServer(poor) }, poor)).toEqual([
      403,
      'Your balance is too small',
    ]);
  });

  test('where the plan has no room for the backup', async () => {
    const small = await service.newTenant({ plan: 'FREE' });
    const serverId = await createServer(small);
    for (let made = 0; made < 15; made++) {
      await small.call('POST', `/api/v1/servers/${serverId}/backups`);
    }
    const listingId = await insertListing(seller, { category: 'TEMPLATE', priceCents: 0 });
    const reply = await placeOrder(small, listingId, { serverId });
    expect([reply.status, reply.body.error]).toEqual([
      403,
      expect.stringContaining('limit for backups (15)'),
    ]);
  });

  test.each([
    ['listingId', { listingId: undefined }],
    ['quantity', { quantity: 0 }],
    ['quantity', { quantity: 101 }],
    ['payWith', { payWith: 'SHELLS' }],
    ['maxTotalCents', { maxTotalCents: -1 }],
    ['serverId', { serverId: 'here' }],
  ])('by a strange %s', async (field, more) => {
    const reply = await placeOrder(buyer, await insertListing(seller), more);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('where fifty wait to be paid already', async () => {
    const patient = await service.newTenant();
    const { id } = await createListing(seller);
    const first = (await placeOrder(patient, id)).body.data;
    const [row] = await service.db.select().from(orders).where(eq(orders.id, first.id));
    if (!row) throw new Error('No order');
    const copies = Array.from({ length: 48 }, () => ({ ...row, id: crypto.randomUUID() }));
    await service.db.insert(orders).values(copies);
    const replies = await Promise.all([placeOrder(patient, id), placeOrder(patient, id)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect((await actOn(patient, first.id, 'cancel')).status).toBe(200);
    expect((await placeOrder(patient, id)).status).toBe(201);
  });
});

describe('from the balance', () => {
  test('the money is held until the buyer confirms, and then the seller’s but for the fee', async () => {
    const shop = await service.newTenant({ plan: 'BUSINESS' });
    const payer = await service.newTenant();
    await credit(payer, 2500);
    const { id: listingId } = await createListing(shop);
    const { id } = (await placeOrder(payer, listingId, { payWith: 'BALANCE', quantity: 2 })).body
      .data;
    expect(await movesOf(payer)).toEqual(['ADJUSTMENT 2500', 'PURCHASE -2000']);
    expect(await movesOf(shop)).toEqual([]);
    await actOn(shop, id, 'deliver', { delivered: 2 });
    expect(await movesOf(shop)).toEqual([]);
    const confirmed = await actOn(payer, id, 'confirm');
    expect(confirmed.body.data).toMatchObject({
      status: 'COMPLETED',
      fulfillment: { status: 'completed', progress: 100, delivered: 2, total: 2 },
    });
    expect(await movesOf(shop)).toEqual(['SALE 2000', 'FEE -150']);
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
    // Whoever waited too long for their turn was asked to come back.
    expect(statuses.filter((status) => ![201, 403, 429].includes(status))).toEqual([]);
    expect(statuses.filter((status) => status === 403).length).toBeGreaterThan(0);
    expect(await movesOf(payer)).toEqual(['ADJUSTMENT 1999', 'PURCHASE -1000']);
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
  test('goes up, never down, and is told in both parties’ logs', async () => {
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
    // The seller's key is nothing the buyer needs to know.
    expect(entry.actor).toEqual({ type: 'SYSTEM', id: null });
  });

  test('is the seller’s to report and the buyer’s to confirm', async () => {
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

  test('is taken as confirmed 14 days after all of it came, and not before', async () => {
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

describe('an order that nobody paid for', () => {
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

  test('expires a while after its checkout did', async () => {
    const { id } = await newOrder();
    await keepTimeIn(65);
    expect((await orderOf(buyer, id)).status).toBe('PENDING');
    await keepTimeIn(80);
    expect(await orderOf(buyer, id)).toMatchObject({ status: 'EXPIRED', checkoutUrl: null });
  });

  test('that is paid for cannot be cancelled any more', async () => {
    const { id } = await paidOrder();
    expect((await actOn(buyer, id, 'cancel')).status).toBe(409);
  });
});

test('without an answer of the provider nothing is ordered', async () => {
  const { databaseUrl } = service;
  const lonely = await startTestService({
    databaseUrl,
    pay: { card: undefined, crypto: undefined },
  });
  const tenant = await lonely.newTenant();
  const { id } = await createListing(seller);
  for (const payWith of ['CARD', 'CRYPTO']) {
    const reply = await placeOrder(tenant, id, { payWith });
    expect([reply.status, reply.body.error]).toEqual([409, expect.stringContaining('set up')]);
  }
  const { pagination } = (await tenant.call('GET', '/api/v1/marketplace/orders')).body;
  expect(pagination.total).toBe(0);
  await lonely.stop();
});

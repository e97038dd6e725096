import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import {
  actOn,
  createListing,
  insertListing,
  orderOf,
  placeOrder,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { setPlan } from '../../accounts/queries.ts';
import { orders } from '../table.ts';

let service: TestService;
let seller: OwnTenant;
let buyer: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
  seller = await service.newTenant({ plan: 'BUSINESS' });
  buyer = await service.newTenant();
});
afterAll(() => service.stop());

const newOrder = async (more: object = {}, listing: object = {}) => {
  const { id } = await createListing(seller, listing);
  const reply = await placeOrder(buyer, id, more);
  expect(reply.status).toBe(201);
  return reply.body.data;
};

describe('an order', () => {
  test('by card waits to be paid, and shows every field of the specification and no other', async () => {
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

  test('is readable by its buyer and its seller only', async () => {
    const { id } = await newOrder({ serverId: await createServer(buyer) });
    const seen = await orderOf(seller, id);
    // Only the buyer sees the checkout and the server.
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

  test('has the fee of the seller’s plan at the time it was placed', async () => {
    const poor = await service.newTenant({ plan: 'FREE' });
    const { id: listingId } = await createListing(poor, { priceCents: 333 });
    const before = (await placeOrder(buyer, listingId)).body.data;
    await service.db.transaction((tx) => setPlan(tx, poor.accountId, 'ENTERPRISE'));
    const after = (await placeOrder(buyer, listingId)).body.data;
    expect([before.feeCents, after.feeCents]).toEqual([50, 17]);
    expect((await orderOf(buyer, before.id)).feeCents).toBe(50);
  });

  test('of a free listing is paid at once', async () => {
    const order = await newOrder({ payWith: 'CRYPTO' }, { priceCents: 0 });
    expect(order).toMatchObject({ status: 'PAID', checkoutUrl: null, totalCents: 0 });
    expect(order.paidAt).not.toBeNull();
  });

  test('is listed for both parties, newest first', async () => {
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
  test.each([0, 1000])(
    'when the listing is the buyer’s own, published and for %d cents',
    async (priceCents) => {
      const own = await createListing(seller, { priceCents });
      for (const payWith of ['CARD', 'CRYPTO', 'BALANCE']) {
        const { status, body } = await placeOrder(seller, own.id, { payWith });
        expect([status, body.error]).toEqual([403, 'This listing is your own']);
      }
    },
  );

  test('with the first reason against it', async () => {
    const template = { category: 'TEMPLATE' as const, priceCents: 500 };
    const [hidden, shown] = [
      await insertListing(seller, { ...template, isPublished: false }),
      await insertListing(seller, template),
    ];
    const own = await insertListing(seller, {
      ...{ ...template, isPublished: false, sellerId: buyer.accountId },
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

  test('when the plan’s backups or storage are used up', async () => {
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
  ])('with an invalid %s', async (field, more) => {
    const reply = await placeOrder(buyer, await insertListing(seller), more);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('when fifty orders wait to be paid', async () => {
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

test('without an answer of the provider no order is placed', async () => {
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

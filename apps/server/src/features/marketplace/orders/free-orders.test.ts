import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { expectSoundLedger } from '../../../../test/harness/billing/ledger.ts';
import { checkoutFor, sendEvents } from '../../../../test/harness/marketplace/checkout.ts';
import {
  actOn,
  createListing,
  credit,
  orderBetweenNewAccounts,
  orderOf,
  placeOrder,
  potsOf,
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

const newListing = async (priceCents: number): Promise<string> => {
  [seller, buyer] = [await service.newTenant(), await service.newTenant()];
  return (await createListing(seller, { priceCents })).id;
};

const place = async (listingId: string, by = buyer, more: object = {}): Promise<string> => {
  const { status, body } = await placeOrder(by, listingId, more);
  expect(status).toBe(201);
  return body.data.id;
};

const salesOf = async (listingId: string): Promise<number> => {
  const [row] = await service.db.$client`
    select sales_count::int as sales from listings where id = ${listingId}`;
  return row.sales;
};

const remove = (tenant: OwnTenant) =>
  tenant.call('DELETE', '/api/v1/account', { body: { confirm: `user-${tenant.platformId}` } });

test('of a free listing a buyer has one open order, however many are placed at once', async () => {
  const listingId = await newListing(0);
  const replies = await Promise.all(Array.from({ length: 10 }, () => placeOrder(buyer, listingId)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)]);
  const refused = replies.find(({ status }) => status === 409);
  expect(refused?.body.error).toContain('ordered this already');
  await place(listingId, await service.newTenant());
  const { id } = replies.find(({ status }) => status === 201)?.body.data ?? {};
  await actOn(seller, id, 'deliver', { delivered: 1 });
  expect((await placeOrder(buyer, listingId)).status).toBe(409);
  await actOn(buyer, id, 'confirm');
  await place(listingId);
});

test('what costs money can be ordered as often as one likes', async () => {
  const listingId = await newListing(10);
  await credit(buyer, 20);
  await place(listingId, buyer, { payWith: 'BALANCE' });
  await place(listingId, buyer, { payWith: 'BALANCE' });
});

describe('a seller declines', () => {
  test('a free order, which then ends, and the buyer may order again', async () => {
    const listingId = await newListing(0);
    const id = await place(listingId);
    const reply = await actOn(seller, id, 'decline');
    expect([reply.status, reply.body.data.status]).toEqual([200, 'REFUNDED']);
    expect(reply.body.data.fulfillment).toMatchObject({ status: 'cancelled', delivered: 0 });
    expect((await orderOf(buyer, id)).status).toBe('REFUNDED');
    for (const party of [buyer, seller]) {
      expect((await auditOf(party)).data[0]).toMatchObject({
        ...{ action: 'order.decline', subject: { id } },
        changes: { status: { from: 'PAID', to: 'REFUNDED' } },
      });
    }
    expect((await actOn(seller, id, 'deliver', { delivered: 1 })).status).toBe(409);
    await place(listingId);
  });

  test('a paid order, and the money becomes credit of the buyer, once', async () => {
    const { id, ...parties } = await orderBetweenNewAccounts(service);
    await sendEvents(service, checkoutFor(id, parties.buyer).paid());
    const replies = await Promise.all([1, 2, 3].map(() => actOn(parties.seller, id, 'decline')));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await potsOf(parties.buyer)).toEqual({ EARNED: 0, CREDIT: 2000 });
    expect(await potsOf(parties.seller)).toEqual({ EARNED: 0, CREDIT: 0 });
  });

  test('neither what is not paid nor what is delivered in part or ended', async () => {
    const { id, ...parties } = await orderBetweenNewAccounts(service);
    expect((await actOn(parties.seller, id, 'decline')).status).toBe(409);
    await sendEvents(service, checkoutFor(id, parties.buyer).paid());
    await actOn(parties.seller, id, 'deliver', { delivered: 1 });
    expect((await actOn(parties.seller, id, 'decline')).status).toBe(409);
    await actOn(parties.seller, id, 'deliver', { delivered: 2 });
    await actOn(parties.buyer, id, 'confirm');
    expect((await actOn(parties.seller, id, 'decline')).status).toBe(409);
    expect((await orderOf(parties.buyer, id)).status).toBe('COMPLETED');
  });

  test('only what is theirs', async () => {
    const id = await place(await newListing(0));
    expect((await actOn(buyer, id, 'decline')).status).toBe(403);
    expect((await actOn(await service.newTenant(), id, 'decline')).status).toBe(404);
    const reader = await service.newKey(seller, ['marketplace:read']);
    expect((await actOn(reader, id, 'decline')).status).toBe(403);
    expect((await orderOf(buyer, id)).status).toBe('PAID');
  });

  test('a disputed order; the money stays held until the dispute is decided', async () => {
    const { id, ...parties } = await orderBetweenNewAccounts(service);
    const checkout = checkoutFor(id, parties.buyer);
    await sendEvents(service, checkout.paid(), checkout.disputed('needs_response'));
    expect((await actOn(parties.seller, id, 'decline')).status).toBe(200);
    expect(await potsOf(parties.buyer)).toEqual({ EARNED: 0, CREDIT: 0 });
    await sendEvents(service, checkout.disputed('won'));
    expect(await potsOf(parties.buyer)).toEqual({ EARNED: 0, CREDIT: 2000 });
  });
});

describe('closing an account', () => {
  test.each(['buyer', 'seller'] as const)(
    'is not held up by free orders of the %s',
    async (who) => {
      const listingId = await newListing(0);
      const id = await place(listingId);
      await actOn(seller, id, 'deliver', { delivered: 0 });
      const partial = (await createListing(seller, { priceCents: 0 })).id;
      const begun = await place(partial, buyer, { quantity: 2 });
      await actOn(seller, begun, 'deliver', { delivered: 1 });
      const [leaving, staying] = who === 'buyer' ? [buyer, seller] : [seller, buyer];
      expect((await remove(leaving)).status).toBe(200);
      expect((await orderOf(staying, id)).status).toBe('REFUNDED');
      expect((await orderOf(staying, begun)).status).toBe('REFUNDED');
    },
  );

  test('is not held up by a seller who reports that nothing is delivered', async () => {
    const listingId = await newListing(500);
    await credit(buyer, 500);
    const id = await place(listingId, buyer, { payWith: 'BALANCE' });
    await actOn(seller, id, 'deliver', { delivered: 0 });
    expect((await remove(buyer)).status).toBe(200);
    expect((await orderOf(seller, id)).status).toBe('REFUNDED');
    expect(await potsOf(seller)).toEqual({ EARNED: 0, CREDIT: 0 });
  });

  test('of a seller gives the buyer the money back for what was not begun', async () => {
    const listingId = await newListing(500);
    await credit(buyer, 500);
    const id = await place(listingId, buyer, { payWith: 'BALANCE' });
    await actOn(seller, id, 'deliver', { delivered: 0 });
    expect((await remove(seller)).status).toBe(200);
    expect(await potsOf(buyer)).toEqual({ EARNED: 0, CREDIT: 500 });
  });
});

describe('a sale is counted', () => {
  const complete = async (listingId: string, by: OwnTenant, delivered = 1) => {
    const id = await place(listingId, by, { payWith: 'BALANCE' });
    await actOn(seller, id, 'deliver', { delivered });
    expect((await actOn(by, id, 'confirm')).body.data.status).toBe('COMPLETED');
  };

  test('once for each buyer', async () => {
    const listingId = await newListing(10);
    const other = await service.newTenant();
    await credit(buyer, 100);
    await credit(other, 100);
    await Promise.all(Array.from({ length: 5 }, () => complete(listingId, buyer)));
    expect(await salesOf(listingId)).toBe(1);
    await complete(listingId, other);
    expect(await salesOf(listingId)).toBe(2);
  });

  test('not where nothing was paid', async () => {
    const listingId = await newListing(0);
    await complete(listingId, buyer);
    expect(await salesOf(listingId)).toBe(0);
  });

  test('not where nothing was delivered, but once something is', async () => {
    const listingId = await newListing(10);
    await credit(buyer, 20);
    await complete(listingId, buyer, 0);
    expect(await salesOf(listingId)).toBe(0);
    await complete(listingId, buyer);
    expect(await salesOf(listingId)).toBe(1);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cardSubscription, sendCard } from '../../../test/harness/billing/events.ts';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import {
  actOn,
  createListing,
  credit,
  placeOrder,
} from '../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

type Shown = { id: string; published: boolean; role: string };

const open = async (tenant: OwnTenant) => {
  const { call } = await openDashboard(service, tenant);
  return {
    call,
    list: async (path: string): Promise<Shown[]> => (await call('GET', path)).body.data,
  };
};

describe('own listings', () => {
  test('are listed newest first, unpublished ones included, without those of others', async () => {
    const [seller, other] = [await service.newTenant(), await service.newTenant()];
    const shown = await createListing(seller);
    const hidden = await createListing(seller, { published: false });
    await createListing(other);
    const { list, call } = await open(seller);
    const own = await list('/marketplace/own-listings');
    expect(own.map(({ id, published }) => [id, published])).toEqual([
      [hidden.id, false],
      [shown.id, true],
    ]);
    expect(own[1]).toEqual({ ...shown, published: true, imageUploadId: null });
    const second = await call('GET', '/marketplace/own-listings?limit=1&page=2');
    expect(second.body.data.map(({ id }: Shown) => id)).toEqual([shown.id]);
    expect(second.body.pagination).toMatchObject({ total: 2, totalPages: 2 });
  });
});

describe('an order', () => {
  const trade = async () => {
    const [seller, buyer] = [await service.newTenant(), await service.newTenant()];
    const { id: listingId } = await createListing(seller);
    await credit(buyer, 5000);
    const paid = (await placeOrder(buyer, listingId, { payWith: 'BALANCE' })).body.data;
    const pending = (await placeOrder(buyer, listingId)).body.data;
    return { seller, buyer, paid, pending };
  };
  const idsIn = async ({ list }: Awaited<ReturnType<typeof open>>, view: string) =>
    (await list(`/marketplace/own-orders?view=${view}`)).map(({ id }) => id);

  test('is listed on the account’s own side', async () => {
    const { seller, buyer, paid, pending } = await trade();
    const [sold, bought] = [await open(seller), await open(buyer)];
    expect(await idsIn(bought, 'BOUGHT')).toEqual([pending.id, paid.id]);
    expect(await idsIn(bought, 'SOLD')).toEqual([]);
    expect(await idsIn(sold, 'SOLD')).toEqual([pending.id, paid.id]);
    expect(await idsIn(sold, 'BOUGHT')).toEqual([]);
    expect(await idsIn(sold, 'TO_DELIVER')).toEqual([paid.id]);
    await actOn(seller, paid.id, 'deliver', { delivered: 1 });
    expect(await idsIn(sold, 'TO_DELIVER')).toEqual([paid.id]);
    await actOn(buyer, paid.id, 'confirm');
    expect(await idsIn(sold, 'TO_DELIVER')).toEqual([]);
    expect((await sold.call('GET', '/marketplace/own-orders')).status).toBe(400);
  });

  test('shows each party its own side, and others nothing', async () => {
    const { seller, buyer, pending } = await trade();
    const path = `/marketplace/own-orders/${pending.id}`;
    const own = (await (await open(buyer)).call('GET', path)).body.data;
    expect(own).toEqual({
      ...pending,
      ...{ role: 'BUYER', category: 'DESIGN', deliveryType: 'MANUAL' },
      ...{ backupId: null, refundedCents: 0 },
      expiresAt: expect.any(String),
      isListed: true,
      otherParty: {
        id: seller.accountId,
        username: expect.any(String),
        avatar: expect.any(String),
      },
    });
    const seen = (await (await open(seller)).call('GET', path)).body.data;
    expect(seen).toMatchObject({ role: 'SELLER', checkoutUrl: null, otherParty: null });
    const stranger = await open(await service.newTenant());
    expect((await stranger.call('GET', path)).status).toBe(404);
  });

  test('names its buyer to the seller once it is paid, and says whether its listing can be opened', async () => {
    const { seller, buyer, paid } = await trade();
    const { call } = await open(seller);
    const path = `/marketplace/own-orders/${paid.id}`;
    const seen = (await call('GET', path)).body.data;
    expect(seen).toMatchObject({ isListed: true, otherParty: { id: buyer.accountId } });
    await call('PUT', `/marketplace/listings/${paid.listingId}`, { published: false });
    expect((await call('GET', path)).body.data.isListed).toBe(false);
  });
});

test('the billing status shows both pots, and no renewal for a free plan', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const { call } = await open(tenant);
  const standing = {
    ...{ provider: null, renews: false, lapsesAt: null, currency: 'USD' },
    ...{ card: null, hasReceipts: false, clearingCents: 0 },
  };
  const read = async () => (await call('GET', '/billing/standing')).body.data;
  expect(await read()).toEqual({ ...standing, earnedCents: 0, creditCents: 0 });
  await credit(tenant, 250);
  await credit(tenant, 40, 'CREDIT');
  expect(await read()).toEqual({ ...standing, earnedCents: 250, creditCents: 40 });
  await sendCard(service, cardSubscription(tenant.accountId).checkout('PREMIUM'));
  expect(await read()).toMatchObject({ provider: 'CARD', renews: true });
});

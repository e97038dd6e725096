import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  accountOf,
  cardSubscription,
  ledgerOf,
  newRef,
  sendCard,
} from '../../../../test/harness/billing/events.ts';
import { accountsOf, expectSoundLedger } from '../../../../test/harness/billing/ledger.ts';
import {
  createListing,
  credit,
  placeOrder,
  potsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => expectSoundLedger(service.db));
afterAll(() => service.stop());

const dayMs = 86_400_000;

const pay = (tenant: OwnTenant, plan = 'PREMIUM', headers: Record<string, string> = {}) =>
  tenant.call('POST', '/api/v1/billing/invoices', { body: { plan, payWith: 'BALANCE' }, headers });

const askPayout = (tenant: OwnTenant, amountCents: number) =>
  tenant.call('POST', '/api/v1/marketplace/payouts', { body: { amountCents } });

/** A refund of the card provider, which is credit and not earnings. */
const refunded = async (tenant: OwnTenant, cents: number): Promise<void> => {
  const subscription = cardSubscription(tenant.accountId);
  await sendCard(service, subscription.checkout('FREE'));
  await sendCard(service, subscription.refund(newRef('ch'), cents));
};

test('credit from a refund can neither be paid out nor buy from another account', async () => {
  const [buyer, seller] = [await service.newTenant(), await service.newTenant()];
  await refunded(buyer, 5000);
  expect(await potsOf(buyer)).toEqual({ EARNED: 0, CREDIT: 5000 });
  expect((await askPayout(buyer, 1)).status).toBe(403);
  const { id } = await createListing(seller, { priceCents: 1 });
  const bought = await placeOrder(buyer, id, { payWith: 'BALANCE' });
  expect([bought.status, bought.body.error]).toEqual([403, 'Your balance is too small']);
  await credit(buyer, 100);
  expect((await askPayout(buyer, 101)).status).toBe(403);
  expect((await askPayout(buyer, 99)).status).toBe(201);
  expect((await placeOrder(buyer, id, { payWith: 'BALANCE' })).status).toBe(201);
  expect(await potsOf(buyer)).toEqual({ EARNED: 0, CREDIT: 5000 });
});

test('a plan is paid from credit first, then from earnings, and takes effect at once', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  await refunded(tenant, 300);
  await credit(tenant, 900);
  const before = Date.now();
  const reply = await pay(tenant);
  expect(reply.status).toBe(201);
  const { id } = reply.body.data;
  expect(reply.body.data).toMatchObject({ payUrl: null, amountCents: 500, currency: 'USD' });
  expect(await potsOf(tenant)).toEqual({ EARNED: 700, CREDIT: 0 });
  const entries = (await ledgerOf(tenant)).slice(0, 2);
  expect(entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'PURCHASE',
        pot: 'CREDIT',
        amountCents: -300,
        reference: id,
      }),
      expect.objectContaining({
        type: 'PURCHASE',
        pot: 'EARNED',
        amountCents: -200,
        reference: id,
      }),
    ]),
  );
  const { plan, subscription } = await accountOf(tenant);
  expect([plan, subscription.status]).toEqual(['PREMIUM', 'ACTIVE']);
  const end = Date.parse(subscription.currentPeriodEnd);
  expect(end).toBeGreaterThanOrEqual(before + 30 * dayMs - 1000);
  expect(end).toBeLessThanOrEqual(Date.now() + 30 * dayMs + 1000);
  expect((await auditOf(tenant)).data.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['invoice.create', 'invoice.pay', 'plan.change']),
  );
  expect((await accountsOf(service.db)).get('platform:plans')).toBeGreaterThanOrEqual(500);
});

test('a second month begins where the first ends', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  await credit(tenant, 1000, 'CREDIT');
  await pay(tenant);
  const { currentPeriodEnd: first } = (await accountOf(tenant)).subscription;
  const second = (await pay(tenant)).body.data.expiresAt;
  expect(Date.parse(second) - Date.parse(first)).toBe(30 * dayMs);
});

test('a balance that is too small in both pots together is refused, and changes nothing', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  await credit(tenant, 250, 'CREDIT');
  await credit(tenant, 249);
  const reply = await pay(tenant);
  expect([reply.status, reply.body.error]).toEqual([403, 'Your balance is too small']);
  expect(await potsOf(tenant)).toEqual({ EARNED: 249, CREDIT: 250 });
  expect((await accountOf(tenant)).plan).toBe('FREE');
});

test('of ten requests at once, with money for three, three are paid', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  await credit(tenant, 700, 'CREDIT');
  await credit(tenant, 900);
  const replies = await Promise.all(Array.from({ length: 10 }, () => pay(tenant)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([
    ...Array(3).fill(201),
    ...Array(7).fill(403),
  ]);
  expect(await potsOf(tenant)).toEqual({ EARNED: 100, CREDIT: 0 });
});

test('plans, payouts and orders at once never spend the same cent twice', async () => {
  const [tenant, seller] = [await service.newTenant(), await service.newTenant()];
  const { id } = await createListing(seller, { priceCents: 300 });
  await credit(tenant, 600, 'CREDIT');
  await credit(tenant, 1200);
  const acts = Array.from({ length: 12 }, (_, at) =>
    at % 3 === 0
      ? pay(tenant)
      : at % 3 === 1
        ? askPayout(tenant, 300)
        : placeOrder(tenant, id, { payWith: 'BALANCE' }),
  );
  for (const { status } of await Promise.all(acts)) expect(status).toBeOneOf([201, 403]);
  const { EARNED, CREDIT } = await potsOf(tenant);
  expect(EARNED).toBeGreaterThanOrEqual(0);
  expect(CREDIT).toBeGreaterThanOrEqual(0);
});

test('a repeated request gets the first answer', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  await credit(tenant, 1000, 'CREDIT');
  const headers = { 'Idempotency-Key': 'once' };
  const [first, again] = [
    await pay(tenant, 'PREMIUM', headers),
    await pay(tenant, 'PREMIUM', headers),
  ];
  expect(again.body).toEqual(first.body);
  expect(await potsOf(tenant)).toEqual({ EARNED: 0, CREDIT: 500 });
});

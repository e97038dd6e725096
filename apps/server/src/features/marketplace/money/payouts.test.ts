import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { accountsOf, expectSoundLedger } from '../../../../test/harness/billing/ledger.ts';
import {
  balanceOf,
  createListing,
  credit,
  orderOf,
  placeOrder,
  transactionsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { runAdmin } from '../../../../test/harness/service-process.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => expectSoundLedger(service.db));
afterAll(() => service.stop());

const ask = (tenant: Tenant, amountCents: unknown) =>
  tenant.call('POST', '/api/v1/marketplace/payouts', { body: { amountCents } });

const command = (...args: string[]) => runAdmin({ DATABASE_URL: service.databaseUrl }, ...args);

const ledgerBalanceOf = async (account: string) => (await accountsOf(service.db)).get(account) ?? 0;

test('a payout takes its amount from the balance', async () => {
  const tenant = await service.newTenant();
  await credit(tenant, 5000);
  const reply = await ask(tenant, 3000);
  expect(reply.status).toBe(201);
  expect(reply.body.data).toEqual({
    ...{ id: expect.any(String), amountCents: 3000, currency: 'USD', status: 'PENDING' },
    createdAt: expect.stringMatching(/Z$/),
  });
  expect(await transactionsOf(tenant)).toEqual(['ADJUSTMENT 5000', 'PAYOUT -3000']);
  expect((await auditOf(tenant)).data[0]).toMatchObject({
    ...{ action: 'payout.create', subject: { type: 'payout', id: reply.body.data.id } },
    changes: { amountCents: 3000, currency: 'USD' },
  });
});

test('a payout above the balance is refused, and no money moves', async () => {
  const tenant = await service.newTenant();
  for (const cents of [1, 100]) {
    const reply = await ask(tenant, cents);
    expect([reply.status, reply.body.error]).toEqual([403, 'Your balance is too small']);
  }
  await credit(tenant, 100);
  expect((await ask(tenant, 101)).status).toBe(403);
  expect((await ask(tenant, 100)).status).toBe(201);
  expect(await transactionsOf(tenant)).toEqual(['ADJUSTMENT 100', 'PAYOUT -100']);
});

test.each([0, -1, 1.5, '100', null])('%p is not a valid amount', async (amountCents) => {
  const reply = await ask(await service.newTenant(), amountCents);
  expect(reply.status).toBe(400);
  expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['amountCents']);
});

test('of ten payouts at once, with money for three, three are accepted', async () => {
  const tenant = await service.newTenant();
  await credit(tenant, 350);
  const replies = await Promise.all(Array.from({ length: 10 }, () => ask(tenant, 100)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([
    ...Array(3).fill(201),
    ...Array(7).fill(403),
  ]);
  expect(await balanceOf(tenant)).toBe(50);
});

test('the operator marks a payout as paid, once', async () => {
  const tenant = await service.newTenant();
  await credit(tenant, 700);
  const { id } = (await ask(tenant, 700)).body.data;
  const before = await ledgerBalanceOf('platform:payouts');
  const paid = await command('pay-payout', '--payout', id);
  expect([paid.exitCode, paid.stderr]).toEqual([0, '']);
  expect(JSON.parse(paid.stdout)).toEqual({
    ...{
      payoutId: id,
      userId: tenant.accountId,
      amountCents: 700,
      currency: 'USD',
      status: 'PAID',
    },
  });
  expect(await ledgerBalanceOf('platform:payouts')).toBe(before - 700);
  // The balance changed when the payout was requested.
  expect(await transactionsOf(tenant)).toEqual(['ADJUSTMENT 700', 'PAYOUT -700']);
  expect((await auditOf(tenant)).data[0]).toMatchObject({
    ...{ action: 'payout.pay', actor: { type: 'SYSTEM', id: null }, subject: { id } },
    changes: { status: { from: 'PENDING', to: 'PAID' } },
  });
  const again = await command('pay-payout', '--payout', id);
  expect([again.exitCode, again.stderr.trim()]).toEqual([
    1,
    'No such payout, or it is paid already',
  ]);
});

test('the operator refunds an order, once', async () => {
  const [seller, buyer] = [await service.newTenant(), await service.newTenant()];
  await credit(buyer, 1000);
  const { id: listingId } = await createListing(seller);
  const { id } = (await placeOrder(buyer, listingId, { payWith: 'BALANCE' })).body.data;
  const refunded = await command('refund-order', '--order', id);
  expect([refunded.exitCode, refunded.stderr]).toEqual([0, '']);
  expect(JSON.parse(refunded.stdout)).toEqual({
    ...{ orderId: id, userId: buyer.accountId, status: 'REFUNDED' },
  });
  expect((await orderOf(buyer, id)).status).toBe('REFUNDED');
  expect(await transactionsOf(buyer)).toEqual(['ADJUSTMENT 1000', 'PURCHASE -1000', 'REFUND 1000']);
  const again = await command('refund-order', '--order', id);
  expect([again.exitCode, again.stderr.trim()]).toEqual([
    1,
    'No such order, or its money is not held any more',
  ]);
});

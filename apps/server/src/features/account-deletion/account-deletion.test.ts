import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cardSubscription, sendCard } from '../../../test/harness/billing/events.ts';
import { expectSoundLedger } from '../../../test/harness/billing/ledger.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  createListing,
  credit,
  orderOf,
  placeOrder,
} from '../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import { findOrCreateAccount } from '../accounts/queries.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['account.purge', 'servers.purge'] });
});
afterAll(() => service.stop());

const usernameOf = async (tenant: OwnTenant): Promise<string> =>
  (await tenant.call('GET', '/api/v1/account')).body.data.username;

const remove = (tenant: OwnTenant, confirm: unknown) =>
  tenant.call('DELETE', '/api/v1/account', { body: { confirm } });

test('a deletion needs the exact username and the scope', async () => {
  const tenant = await service.newTenant();
  const username = await usernameOf(tenant);
  for (const wrong of ['', `${username} `, username.toUpperCase(), 7, undefined]) {
    const reply = await remove(tenant, wrong);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['confirm']);
  }
  const reader = await service.newKey(tenant, ['account:read']);
  expect((await remove(reader, username)).status).toBe(403);
  expect((await tenant.call('GET', '/api/v1/account')).status).toBe(200);
});

test('an account ends at once, and its person gets a new one at the next sign-in', async () => {
  const tenant = await service.newTenant();
  const other = await service.newKey(tenant, ['account:read']);
  const subscription = cardSubscription(tenant.accountId);
  await sendCard(service, subscription.checkout('PREMIUM'));
  await credit(tenant, 700, 'CREDIT');
  const listing = await createListing(tenant);
  const buyer = await service.newTenant();
  const order = (await placeOrder(buyer, listing.id)).body.data;
  const reply = await remove(tenant, await usernameOf(tenant));
  expect([reply.status, reply.body.data]).toEqual([200, { id: tenant.accountId, deleted: true }]);
  for (const key of [tenant, other]) {
    expect((await key.call('GET', '/api/v1/account')).status).toBe(401);
  }
  expect((await orderOf(buyer, order.id)).status).toBe('CANCELLED');
  expect((await placeOrder(buyer, listing.id)).status).toBe(409);
  const again = await service.db.transaction((tx) => findOrCreateAccount(tx, tenant.platformId));
  expect(again.id).not.toBe(tenant.accountId);
  const [row] = await service.db.$client`select * from accounts where id = ${tenant.accountId}`;
  expect(JSON.stringify(row)).not.toContain(tenant.platformId);
  const [queued] = await service.db.$client`
    select count(*)::int as jobs from pgboss.job where name = 'billing.cancel-subscription'`;
  expect(queued.jobs).toBeGreaterThan(0);
  // Later events of the provider are still accepted.
  expect((await sendCard(service, subscription.deletion())).status).toBe(200);
  await expectSoundLedger(service.db);
});

test('open orders, payouts and earnings refuse the deletion, and are listed', async () => {
  const [seller, buyer] = [await service.newTenant(), await service.newTenant()];
  await credit(buyer, 2500);
  const { id } = await createListing(seller);
  await placeOrder(buyer, id, { payWith: 'BALANCE' });
  await buyer.call('POST', '/api/v1/marketplace/payouts', { body: { amountCents: 500 } });
  const refused = await remove(buyer, await usernameOf(buyer));
  expect([refused.status, refused.body.open]).toEqual([
    409,
    { orders: 1, payouts: 1, earnedCents: 1000 },
  ]);
  const sellers = await remove(seller, await usernameOf(seller));
  expect(sellers.body.open).toEqual({ orders: 1, payouts: 0, earnedCents: 0 });
  expect((await buyer.call('GET', '/api/v1/account')).status).toBe(200);
});

test('a job erases the contents of the audit log and keeps its hashes', async () => {
  const tenant = await service.newTenant();
  await createListing(tenant, { title: 'Canary of the harbour' });
  await remove(tenant, await usernameOf(tenant));
  await eventually(20_000, async () => {
    const rows = await service.db.$client`
      select changes::text as changes, hash from audit_entries where account_id = ${tenant.accountId}`;
    expect(rows.length).toBeGreaterThan(0);
    for (const { changes, hash } of rows) expect([changes, hash.length]).toEqual(['{}', 64]);
  });
});

test('a key that was used during the deletion is refused right after it', async () => {
  const tenant = await service.newTenant();
  const username = await usernameOf(tenant);
  const sql = service.db.$client;
  const { deleting } = await sql.begin(async (tx) => {
    // The deletion waits for the end of the account's audit chain, all keys deleted by then.
    await tx`insert into audit_heads (account_id, seq, hash) values (${tenant.accountId}, 0, '')
      on conflict (account_id) do update set seq = audit_heads.seq`;
    const begun = remove(tenant, username);
    await eventually(4000, async () => {
      const [row] = await sql`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      expect(row.n).toBe(1);
    });
    expect((await tenant.call('GET', '/api/v1/bots')).status).toBe(200);
    // Rolled back, so that the chain is unchanged.
    await tx`rollback`;
    return { deleting: begun };
  });
  expect((await deleting).status).toBe(200);
  expect((await tenant.call('GET', '/api/v1/bots')).status).toBe(401);
});

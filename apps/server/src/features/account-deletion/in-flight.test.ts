import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { createListing } from '../../../test/harness/marketplace/fixture.ts';
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

const deletion = (tenant: OwnTenant) =>
  tenant.call('DELETE', '/api/v1/account', { body: { confirm: `user-${tenant.platformId}` } });

/** A lock that another connection holds until it is released. */
const hold = async (statement: string) => {
  const connection = await service.db.$client.reserve();
  await connection`begin`;
  await connection.unsafe(statement);
  return {
    async release() {
      await connection`commit`;
      connection.release();
    },
  };
};

const untilWaiting = (least: number) =>
  eventually(10_000, async () => {
    const [row] = await service.db.$client`
      select count(*)::int as waiting from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    expect(row.waiting).toBeGreaterThanOrEqual(least);
  });

const actionsOf = async ({ accountId }: OwnTenant): Promise<string[]> => {
  const rows: { action: string }[] = await service.db.$client`
    select action from audit_entries where account_id = ${accountId} order by seq`;
  return rows.map(({ action }) => action);
};

test('a change that began before the deletion is committed before it', async () => {
  const tenant = await service.newTenant();
  const serverId = await createServer(tenant);
  const lock = await hold(`select from servers where id = '${serverId}' for update`);
  const change = tenant.call('PUT', `/api/v1/servers/${serverId}`, { body: { name: 'Renamed' } });
  await untilWaiting(1);
  const end = deletion(tenant);
  await untilWaiting(2);
  await lock.release();
  expect([(await change).status, (await end).status]).toEqual([200, 200]);
  expect((await actionsOf(tenant)).slice(-2)).toEqual(['server.update', 'account.delete']);
});

test('changes that wait for the deletion are not committed, and end in 401', async () => {
  const tenant = await service.newTenant();
  const seller = await service.newTenant();
  const serverId = await createServer(tenant);
  const own = await createListing(tenant);
  const free = await createListing(seller, { priceCents: 0 });
  const server = `/api/v1/servers/${serverId}`;
  const changes: [string, string, object?][] = [
    ['PUT', server, { name: 'Too late' }],
    ['POST', `${server}/pull`, {}],
    ['POST', `${server}/backups`, {}],
    ['POST', `${server}/whitelist`, { type: 'ASN', value: '64500' }],
    ['DELETE', server],
    ['POST', '/api/v1/marketplace/orders', { listingId: free.id }],
    ['PUT', `/api/v1/marketplace/listings/${own.id}`, { published: true }],
    ['POST', '/api/v1/keys', { name: 'late', scopes: ['account:read'] }],
    ['DELETE', '/api/v1/account', { confirm: `user-${tenant.platformId}` }],
  ];
  const lock = await hold(`select from listings where id = '${own.id}' for update`);
  const end = deletion(tenant);
  await untilWaiting(1);
  const late = changes.map(([method, path, body]) => tenant.call(method, path, { body }));
  await untilWaiting(2);
  await lock.release();
  expect((await end).status).toBe(200);
  const replies = await Promise.all(late);
  expect(replies.map(({ status }) => status)).toEqual(changes.map(() => 401));
  expect((await actionsOf(tenant)).at(-1)).toBe('account.delete');
});

test('of two deletions at once one succeeds, and the other finds the account deleted', async () => {
  const tenant = await service.newTenant();
  const replies = await Promise.all([deletion(tenant), deletion(tenant)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
});

test('the servers of a deleted account are gone with the answer, for members too', async () => {
  const tenant = await service.newTenant();
  const serverId = await createServer(tenant);
  expect((await deletion(tenant)).status).toBe(200);
  const [server] = await service.db.$client`
    select deleted_at is not null as gone, custom_bot_id from servers where id = ${serverId}`;
  expect(server).toEqual({ gone: true, custom_bot_id: null });
  expect((await service.call('GET', `/verify/${serverId}`)).status).toBe(404);
});

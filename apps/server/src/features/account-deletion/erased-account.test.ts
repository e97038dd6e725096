import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { cardSubscription, sendCard } from '../../../test/harness/billing/events.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  actOn,
  createListing,
  orderOf,
  placeOrder,
} from '../../../test/harness/marketplace/fixture.ts';
import {
  type PullFixture,
  type PullServer,
  startPullFixture,
} from '../../../test/harness/pulls/fixture.ts';
import { verifyChain } from '../audit/chain/verify-chain.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture();
});
afterAll(() => fixture.stop());

const canary = 'CanaryOfTheHarbour';
const members = 6;

const must = async (reply: Promise<{ status: number; body: { data: { id: string } } }>) => {
  const { status, body } = await reply;
  expect(status).toBeOneOf([200, 201, 202]);
  return body.data;
};

/** An account whose name is stored everywhere a name can be stored. */
const leaveTraces = async (place: PullServer) => {
  const { owner, serverId } = place;
  const { db, service, simulator } = fixture;
  const server = `/api/v1/servers/${serverId}`;
  const post = (path: string, body: object) =>
    must(owner.call('POST', path, { body, headers: { 'idempotency-key': crypto.randomUUID() } }));
  await must(owner.call('PUT', server, { body: { name: canary } }));
  await must(owner.call('PUT', `/api/v1/bots/${place.botId}`, { body: { name: canary } }));
  const mailed = { email: true, channel: true, dashboard: true };
  await must(owner.call('PUT', '/api/v1/alerts/settings', { body: { ORDER_SOLD: mailed } }));
  await post(`${server}/firewall`, { type: 'ASN', value: '64500', note: canary });
  await post(`${server}/whitelist`, { type: 'ASN', value: '64501', note: canary });
  await post(`${server}/blacklist`, { platformId: '4711', reason: canary });
  await post('/api/v1/keys', { name: canary, scopes: ['account:read'] });
  for (let added = 0; added < members; added++)
    await fixture.addMember(place, { username: canary });
  const backups = createBackupFixture(service, simulator);
  const guild = { tenant: owner, ...place };
  const backup = await backups.takeBackup(guild, { name: canary });
  expect(backup.status).toBe('completed');
  const template = { category: 'TEMPLATE', title: canary, backupId: backup.id, priceCents: 0 };
  await createListing(owner, template);
  await db.$client`
    update accounts set display_name = ${canary}, email = ${`${canary}@example.com`}
    where id = ${owner.accountId}`;
  await db.$client`
    insert into second_factors (account_id, secret) values (${owner.accountId}, 'sealed.nothing')`;
  await db.$client`
    insert into recovery_codes (account_id, hash) values (${owner.accountId}, 'nothing')`;
  await sendCard(service, cardSubscription(owner.accountId).checkout('ENTERPRISE'));
  return { backups, backupId: String(backup.id), guild };
};

/** A completed order, which does not prevent the deletion. */
const sellOnce = async ({ owner }: PullServer, title: string) => {
  const buyer = await fixture.service.newTenant();
  const listing = await createListing(owner, { title, priceCents: 0 });
  const { id } = (await placeOrder(buyer, listing.id)).body.data;
  await actOn(owner, id, 'deliver', { delivered: 1 });
  await actOn(buyer, id, 'confirm');
  expect((await orderOf(buyer, id)).status).toBe('COMPLETED');
  return { buyer, id };
};

/** A pull, a restore and a backup that the platform answers slowly. */
const beginWork = async (place: PullServer, backupId: string) => {
  const { owner, serverId } = place;
  const slow = { when: 'before', action: 'delay', ms: 1500, times: 1000 };
  const other = await fixture.newServer({}, owner);
  for (const { guildId } of [place, other]) {
    await fixture.simulator.control('POST', '/faults', { match: { guildId }, ...slow });
  }
  const pullId = await fixture.begin(place);
  const restore = `/api/v1/servers/${serverId}/backups/${backupId}/restore`;
  const body = { targetServerId: other.serverId };
  const { id: restoreId } = await must(owner.call('POST', restore, { body }));
  const backups = `/api/v1/servers/${other.serverId}/backups`;
  await must(owner.call('POST', backups, { body: { name: canary } }));
  await eventually(20_000, async () => {
    const pull = await fixture.read(place, pullId);
    const { data } = (await owner.call('GET', `/api/v1/restores/${restoreId}`)).body;
    expect([pull.status, data.status]).toEqual(['running', expect.stringMatching(/snap|run/)]);
  });
};

type Column = { table: string; column: string };

/** The tables in which the account still has rows. */
const tablesNaming = async (accountId: string): Promise<string[]> => {
  const { $client: sql } = fixture.db;
  const columns: Column[] = await sql`
    select columns.table_name as table, column_name as column from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and data_type = 'uuid'`;
  const named = new Set<string>();
  for (const { table, column } of columns) {
    const found = await sql.unsafe(`select from "${table}" where "${column}" = $1 limit 1`, [
      accountId,
    ]);
    if (found.length > 0) named.add(table);
  }
  return [...named].toSorted();
};

/** Every table that contains the text, the queue's own included. */
const tablesHolding = async (text: string): Promise<string[]> => {
  const { $client: sql } = fixture.db;
  const tables: { schema: string; name: string }[] = await sql`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`;
  const holding: string[] = [];
  for (const { schema, name } of tables) {
    const found = await sql.unsafe(
      `select from "${schema}"."${name}" t where row_to_json(t)::text ilike $1 limit 1`,
      [`%${text}%`],
    );
    if (found.length > 0) holding.push(name);
  }
  return holding;
};

const kept = [
  ...['accounts', 'audit_entries', 'audit_heads', 'billing_events', 'listings', 'orders'],
  'subscriptions',
];

test('a deleted account leaves nothing that names it, even if a pull, a restore and a backup were running', async () => {
  const place = await fixture.newServer();
  const { owner } = place;
  const { accountId, platformId } = owner;
  const { backupId } = await leaveTraces(place);
  const telling = await sellOnce(place, `A flag by User-${platformId}`);
  const plain = await sellOnce(place, 'A plain flag');
  const bystander = await fixture.service.newTenant();
  const untouched = await createServer(bystander);
  await beginWork(place, backupId);
  expect((await tablesHolding(canary)).length).toBeGreaterThan(8);
  const body = { confirm: `user-${platformId}` };
  expect((await owner.call('DELETE', '/api/v1/account', { body })).status).toBe(200);
  await eventually(60_000, async () => expect(await tablesNaming(accountId)).toEqual(kept));
  expect(await tablesHolding(canary)).toEqual([]);
  expect(await tablesHolding(platformId)).toEqual([]);
  expect(await Array.fromAsync(fixture.service.blobs.list(accountId))).toEqual([]);
  const revoked = (await fixture.log()).filter(({ path }) => path.includes('/token/revoke'));
  expect(revoked.map(({ status }) => status)).toEqual(Array(members).fill(200));
  expect((await fixture.additions(place)).length).toBeLessThan(members);
  expect((await orderOf(telling.buyer, telling.id)).listingTitle).toBe('Deleted listing');
  expect((await orderOf(plain.buyer, plain.id)).listingTitle).toBe('A plain flag');
  const { entries, ...rest } = await verifyChain(fixture.db, accountId, { isOfDeleted: true });
  expect(rest).toEqual({ intact: true, contentsRemoved: entries });
  expect((await bystander.call('GET', `/api/v1/servers/${untouched}`)).status).toBe(200);
});

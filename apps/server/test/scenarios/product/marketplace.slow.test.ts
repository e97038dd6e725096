import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeDatabase, connectDatabase } from '../../../src/db/connect.ts';
import { openBlobStore } from '../../../src/integrations/blobs/open-store.ts';
import { createSealedBlobs } from '../../../src/integrations/blobs/sealed-blobs.ts';
import { parseKeyRing } from '../../../src/kernel/seal.ts';
import { expectSoundLedger } from '../../harness/billing/ledger.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { eventually } from '../../harness/eventually.ts';
import { type LocalService, startLocalService } from '../../harness/local-service.ts';
import {
  createListing,
  credit,
  orderOf,
  placeOrder,
  transactionsOf,
} from '../../harness/marketplace/fixture.ts';
import {
  canariesOf,
  markGuild,
  withoutPeople,
} from '../../harness/marketplace/template-canaries.ts';
import {
  connectSql,
  createKey,
  request,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import { randomPlatformId, type Tenant } from '../../harness/service.ts';
import { summarizeGuild } from '../../harness/simulator/guild-summary.ts';

setDefaultTimeout(180_000);

type Guild = Parameters<typeof canariesOf>[0];

let service: LocalService;
let seller: Tenant;
let community: Guild;
let listingId: string;

/** Local mode, in which payments and the platform are played by the simulator. */
beforeAll(async () => {
  service = await startLocalService({ WORKER_ID: 'the-only-one' });
  seller = await newAccount();
  const guildId = randomPlatformId();
  const serverId = await createServer(seller, { platformGuildId: guildId });
  await control('PUT', `/guilds/${guildId}`, markGuild(await control('GET', `/guilds/${guildId}`)));
  await control('PUT', '/limits', { default: { limit: 1000, perMs: 1000 } });
  community = await control('GET', `/guilds/${guildId}`);
  const body = { components: [...parts, 'stickers', 'bans', 'memberRoles', 'messages'] };
  const backupId = await takeBackup(seller, serverId, body);
  const listing = { category: 'TEMPLATE', priceCents: 1500, backupId, title: 'A harbour' };
  listingId = (await createListing(seller, listing)).id;
});
afterAll(stopServices);

const parts = ['settings', 'roles', 'channels', 'emojis'] as const;

const control = (...asked: Parameters<LocalService['control']>) => service.control(...asked);

const newAccount = async (): Promise<Tenant> =>
  tenantAt(service.url, await createKey(service.databaseUrl));

const takeBackup = async (tenant: Tenant, serverId: string, body: object): Promise<string> => {
  const path = `/api/v1/servers/${serverId}/backups`;
  const { id } = (await tenant.call('POST', path, { body })).body.data;
  await eventually(30_000, async () => {
    expect((await tenant.call('GET', `${path}/${id}`)).body.data.status).toBe('completed');
    await Bun.sleep(100);
  });
  return id;
};

const newBuyer = async () => {
  const tenant = await newAccount();
  const guildId = randomPlatformId();
  return { tenant, guildId, serverId: await createServer(tenant, { platformGuildId: guildId }) };
};
type Buyer = Awaited<ReturnType<typeof newBuyer>>;

const order = async ({ tenant, serverId }: Buyer, payWith: string) => {
  const reply = await placeOrder(tenant, listingId, { serverId, payWith, maxTotalCents: 1500 });
  expect(reply.status).toBe(201);
  return reply.body.data;
};

/** As the buttons of the pay page do. */
const press = (payUrl: string, step: string) =>
  request(payUrl, 'POST', '', { raw: new URLSearchParams({ step }) });

/** The states it was seen in, one after the other, until it has ended. */
const follow = async ({ tenant }: Buyer, orderId: string): Promise<string[]> => {
  const seen: string[] = [];
  await eventually(60_000, async () => {
    const { status, fulfillment } = await orderOf(tenant, orderId);
    expect(fulfillment.progress).toBeWithin(0, 101);
    if (seen.at(-1) !== status) seen.push(status);
    await Bun.sleep(100);
    expect(status).toBe('COMPLETED');
  });
  return seen;
};

const delivered = async ({ tenant, serverId }: Buyer) => {
  const { data } = (await tenant.call('GET', `/api/v1/servers/${serverId}/backups`)).body;
  return data.filter(({ kind }: { kind: string }) => kind === 'MARKETPLACE');
};

const salesOf = async (): Promise<number> =>
  (await transactionsOf(seller)).filter((move) => move === 'SALE 1500').length;

const inDatabase = async (work: (db: ReturnType<typeof connectDatabase>) => Promise<void>) => {
  const db = connectDatabase(service.databaseUrl, { name: 'holdfast-fixture', poolSize: 1 });
  await work(db);
  await closeDatabase(db);
};

describe('a template that is bought', () => {
  const ways: [string, (url: string) => Promise<unknown>][] = [
    ['CARD', (url) => press(url, 'pay')],
    ['CRYPTO', async (url) => [await press(url, 'send'), await press(url, 'confirm')]],
  ];
  test.each(ways)('by %s on the simulated page is delivered by itself', async (payWith, pay) => {
    const buyer = await newBuyer();
    const before = await salesOf();
    const placed = await order(buyer, payWith);
    expect(placed).toMatchObject({ status: 'PENDING', totalCents: 1500 });
    await pay(placed.checkoutUrl);
    const seen = await follow(buyer, placed.id);
    const inOrder = ['PENDING', 'PAID', 'FULFILLING', 'COMPLETED'];
    expect(inOrder.filter((status) => seen.includes(status))).toEqual(seen);
    expect(await delivered(buyer)).toMatchObject([{ status: 'completed', name: 'A harbour' }]);
    expect(await salesOf()).toBe(before + 1);
  });

  test('from the balance becomes the same layout, and nothing else, in the buyer’s guild', async () => {
    const buyer = await newBuyer();
    const { tenant, guildId, serverId } = buyer;
    await inDatabase((db) => credit({ db, accountId: tenant.accountId }, 1500));
    const placed = await order(buyer, 'BALANCE');
    expect(placed.status).toBe('PAID');
    await follow(buyer, placed.id);
    const [backup] = await delivered(buyer);
    const path = `/api/v1/servers/${serverId}/backups/${backup.id}/restore`;
    const { id } = (await tenant.call('POST', path)).body.data;
    const restore = await eventually(120_000, async () => {
      const { data } = (await tenant.call('GET', `/api/v1/restores/${id}`)).body;
      await Bun.sleep(200);
      expect(data.status).not.toBeOneOf(['queued', 'snapshotting', 'running']);
      return data;
    });
    expect([restore.status, restore.warnings]).toEqual(['completed', []]);
    const layoutOf = (state: Guild) => {
      const {
        settings: look,
        roles,
        channels,
        emojis,
      } = summarizeGuild(state, { botIds: new Set() });
      return { look, roles, channels, emojis };
    };
    const restored = await control('GET', `/guilds/${guildId}`);
    const sold = withoutPeople(community);
    const { vanity_url_code } = restored.guild;
    // A template has neither address nor widget, nor pictures of roles.
    const guild = { ...sold.guild, vanity_url_code, widget_channel_id: null };
    const roles = sold.roles.map((role) => ({ ...role, icon: null }));
    expect(layoutOf(restored)).toEqual(layoutOf({ ...sold, guild, roles }));
    const told = JSON.stringify(restored);
    expect(canariesOf(community).filter((canary) => told.includes(canary))).toEqual([]);
    await expectNoCanary(tenant.accountId);
  });
});

/** In none of the account's objects, and in no row that has to do with it. */
const expectNoCanary = async (accountId: string): Promise<void> => {
  const canaries = canariesOf(community);
  expect(canaries.length).toBeGreaterThan(50);
  const found = (text: string) => canaries.filter((canary) => text.includes(canary));
  const folder = service.dataDir;
  const ring = parseKeyRing((await readFile(join(folder, 'master.keys'), 'utf8')).trim());
  const blobs = createSealedBlobs(openBlobStore({ dataDir: folder }), ring);
  const objects = await Array.fromAsync(blobs.list(accountId));
  expect(objects.length).toBeGreaterThan(5);
  for (const object of objects) {
    expect(found(Buffer.from(await blobs.read(object)).toString('latin1'))).toEqual([]);
  }
  const sql = connectSql(service.databaseUrl);
  const tables = await sql`
    select table_name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  let rows = 0;
  for (const { table_name: table } of tables) {
    const told = await sql.unsafe(
      `select row_to_json(t)::text as row from "${table}" t where row_to_json(t)::text like $1`,
      [`%${accountId}%`],
    );
    rows += told.length;
    for (const { row } of told) expect([table, found(row)]).toEqual([table, []]);
  }
  expect(rows).toBeGreaterThan(20);
};

test('the search would find the seller’s own', async () => {
  const failure = await expectNoCanary(seller.accountId).catch((error: Error) => error);
  expect(failure).toBeInstanceOf(Error);
});

test('a service that is killed while it delivers goes on when it is back, once', async () => {
  const buyer = await newBuyer();
  const before = await salesOf();
  const placed = await order(buyer, 'CARD');
  await press(placed.checkoutUrl, 'pay');
  service.kill('SIGKILL');
  await service.exited;
  service = await service.startAgain();
  await follow(buyer, placed.id);
  expect(await delivered(buyer)).toHaveLength(1);
  expect(await salesOf()).toBe(before + 1);
  await inDatabase(expectSoundLedger);
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { expectExactStorage } from '../../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { largeGuild } from '../../../../test/harness/guilds/large-guild.ts';
import { listingBody } from '../../../../test/harness/marketplace/fixture.ts';
import {
  createTemplateFixture,
  type TemplateFixture,
} from '../../../../test/harness/marketplace/templates.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/harness/simulator/start.ts';
import { expireDueOrders } from '../jobs.ts';
import { templates } from '../table.ts';

const limitBytes = 250_000;
const plans = {
  ...plansWithoutRateLimit,
  BUSINESS: { ...plansWithoutRateLimit.BUSINESS, maxStorageBytes: limitBytes },
};

let service: TestService;
let simulator: TestSimulator;
let fixture: TemplateFixture;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({ plans, doesWork: ['backups.run', 'backups.release'] });
  fixture = createTemplateFixture(service, simulator);
});
afterAll(() => service.stop());

const publish = (seller: Tenant, backupId: string) =>
  seller.call('POST', '/api/v1/marketplace/listings', {
    body: listingBody({ category: 'TEMPLATE', backupId }),
  });

const expectRefused = async (seller: Tenant, backupId: string, status: number, words: string) => {
  const reply = await publish(seller, backupId);
  expect([reply.status, reply.body.error]).toEqual([status, expect.stringContaining(words)]);
};

const largeSource = async (size: Parameters<typeof largeGuild>[1], owner?: Tenant) => {
  const server = await fixture.backups.newServer({}, owner);
  const path = `/guilds/${server.guildId}`;
  await simulator.control('PUT', path, largeGuild(server.guildId, size));
  const { id: backupId } = await fixture.backups.takeBackup(server);
  return { ...server, backupId };
};

const holdsOf = async ({ accountId }: Tenant): Promise<number> => {
  const [row] = await service.db.$client`
    select count(*)::int as holds from blob_holds join blobs on blobs.id = blob_id
    where account_id = ${accountId}`;
  return row.holds;
};

describe('a template', () => {
  test('is made from an account’s own completed backup', async () => {
    const { tenant, backupId, serverId } = await fixture.newSource();
    const reply = await publish(tenant, backupId);
    expect(reply.status).toBe(201);
    expect(reply.body.data).toMatchObject({ category: 'TEMPLATE', deliveryType: 'AUTOMATIC' });
    expect(await holdsOf(tenant)).toBeGreaterThan(5);
    // It is not a backup, and does not count as one.
    const { data } = (await tenant.call('GET', fixture.backups.backupsOf(serverId))).body;
    expect(data).toHaveLength(1);
    await expectExactStorage(fixture.backups, { tenant });
  });

  test('outlives the backup it was made from', async () => {
    const source = await fixture.newSource();
    const { tenant, backupId } = source;
    await publish(tenant, backupId);
    const before = (await fixture.backups.storageOf(source)).objects;
    const holds = await holdsOf(tenant);
    expect((await fixture.backups.delete(source, backupId)).status).toBe(200);
    await eventually(10_000, async () => {
      const { objects } = await fixture.backups.storageOf(source);
      expect(objects).toBeLessThan(before);
      expect(objects).toBe(holds);
      // Files are deleted after their rows.
      await expectExactStorage(fixture.backups, source);
    });
  });

  test('of the same backup again uses no more storage', async () => {
    const source = await fixture.newSource();
    await publish(source.tenant, source.backupId);
    const { objects } = await fixture.backups.storageOf(source);
    expect((await publish(source.tenant, source.backupId)).status).toBe(201);
    expect((await fixture.backups.storageOf(source)).objects).toBe(objects);
  });

  test('can be as large as a guild can be', async () => {
    const size = { channels: 500, roles: 250, emojis: 100, pictureBytes: 2000 };
    const { tenant, backupId } = await largeSource(size);
    // On a busy machine the request may time out and be repeated.
    await eventually(40_000, async () => {
      const reply = await publish(tenant, backupId);
      expect([reply.status, reply.body.error]).toEqual([201, undefined]);
    });
  });
});

describe('no template is made', () => {
  test('from another account’s backup, or one that does not exist', async () => {
    const { backupId } = await fixture.newSource();
    const stranger = await service.newTenant();
    await expectRefused(stranger, backupId, 404, 'Backup not found');
    await expectRefused(stranger, crypto.randomUUID(), 404, 'Backup not found');
  });

  test('from a backup that failed', async () => {
    const server = await fixture.backups.newServer({ botAccess: { isMember: false } });
    const { id, status } = await fixture.backups.takeBackup(server);
    expect(status).toBe('failed');
    await expectRefused(server.tenant, id, 409, 'completed');
  });

  test('without the roles that decide who sees a channel', async () => {
    const server = await fixture.backups.newServer();
    const { id } = await fixture.backups.takeBackup(server, { components: ['channels'] });
    await expectRefused(server.tenant, id, 409, 'roles and channels');
  });

  test('that cannot be restored completely', async () => {
    const { tenant, backupId } = await fixture.newSource({ emojis: [{ id: '777', name: 'lost' }] });
    await expectRefused(tenant, backupId, 409, 'The emoji lost is missing');
    expect(await holdsOf(tenant)).toBe(0);
  });

  test('when the storage is full', async () => {
    const tenant = await service.newTenant({ plan: 'BUSINESS' });
    const size = { channels: 10, roles: 5, emojis: 12, pictureBytes: 20_000 };
    const { backupId } = await largeSource(size, tenant);
    await service.db.$client`
      update storage_used set bytes = ${limitBytes} where account_id = ${tenant.accountId}`;
    await expectRefused(tenant, backupId, 403, 'storage');
  });

  test('and templates of refused requests are deleted', async () => {
    const strayIn = async (minutes: number) => {
      const at = new Date(Date.now() + minutes * 60_000);
      const { db, queue, log } = service;
      const dependencies = { db, queue, log, clock: { now: () => at } };
      await expireDueOrders(dependencies, new AbortController().signal);
      const left = await db.select().from(templates);
      return left.filter(({ listingId }) => listingId === null).length;
    };
    expect(await strayIn(50)).toBeGreaterThan(0);
    expect(await strayIn(70)).toBe(0);
    const loose = await service.db.$client`
      select 1 from blob_holds where not exists (
        select from templates where templates.id = holder_id and listing_id is not null)`;
    expect(loose).toHaveLength(0);
  });
});

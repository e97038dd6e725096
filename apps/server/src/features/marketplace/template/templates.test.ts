import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { expectExactStorage } from '../../../../test/backup-scene.ts';
import { eventually } from '../../../../test/eventually.ts';
import {
  startTestService,
  type Tenant,
  type TestService,
  unhurriedPlans,
} from '../../../../test/harness.ts';
import { largeGuild } from '../../../../test/large-guild.ts';
import { listingBody } from '../../../../test/market-scene.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/simulator.ts';
import { createTemplateScene, type TemplateScene } from '../../../../test/template-scene.ts';
import { keepUpWithMarket } from '../jobs.ts';
import { templates } from '../table.ts';

const limitBytes = 250_000;
const plans = {
  ...unhurriedPlans,
  BUSINESS: { ...unhurriedPlans.BUSINESS, maxStorageBytes: limitBytes },
};

let service: TestService;
let simulator: TestSimulator;
let scene: TemplateScene;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({ plans, doesWork: ['backups.run', 'backups.free'] });
  scene = createTemplateScene(service, simulator);
}, 30_000);
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
  const server = await scene.backups.newServer({}, owner);
  const path = `/guilds/${server.guildId}`;
  await simulator.control('PUT', path, largeGuild(server.guildId, size));
  const { id: backupId } = await scene.backups.takeBackup(server);
  return { ...server, backupId };
};

const holdsOf = async ({ accountId }: Tenant): Promise<number> => {
  const [row] = await service.db.$client`
    select count(*)::int as holds from blob_holds join blobs on blobs.id = blob_id
    where account_id = ${accountId}`;
  return row.holds;
};

describe('a template', () => {
  test('is made from an own completed backup', async () => {
    const { tenant, backupId, serverId } = await scene.newSource();
    const reply = await publish(tenant, backupId);
    expect(reply.status).toBe(201);
    expect(reply.body.data).toMatchObject({ category: 'TEMPLATE', deliveryType: 'AUTOMATIC' });
    expect(await holdsOf(tenant)).toBeGreaterThan(5);
    // It is no backup, and takes no room among them.
    const { data } = (await tenant.call('GET', scene.backups.backupsOf(serverId))).body;
    expect(data).toHaveLength(1);
    await expectExactStorage(scene.backups, { tenant });
  });

  test('outlives the backup it was made from', async () => {
    const source = await scene.newSource();
    const { tenant, backupId } = source;
    await publish(tenant, backupId);
    const before = (await scene.backups.storageOf(source)).objects;
    const holds = await holdsOf(tenant);
    expect((await scene.backups.delete(source, backupId)).status).toBe(200);
    await eventually(10_000, async () => {
      const { objects } = await scene.backups.storageOf(source);
      expect(objects).toBeLessThan(before);
      expect(objects).toBe(holds);
      // Files go after their rows.
      await expectExactStorage(scene.backups, source);
    });
  });

  test('of the same backup again takes no more room', async () => {
    const source = await scene.newSource();
    await publish(source.tenant, source.backupId);
    const { objects } = await scene.backups.storageOf(source);
    expect((await publish(source.tenant, source.backupId)).status).toBe(201);
    expect((await scene.backups.storageOf(source)).objects).toBe(objects);
  });

  test('can be as large as a server can be', async () => {
    const size = { channels: 500, roles: 250, emojis: 100, pictureBytes: 2000 };
    const { tenant, backupId } = await largeSource(size);
    // On a busy machine it may be asked to try again.
    await eventually(40_000, async () => {
      const reply = await publish(tenant, backupId);
      expect([reply.status, reply.body.error]).toEqual([201, undefined]);
    });
  }, 60_000);
});

describe('no template is made', () => {
  test('from somebody else’s backup, or one that never was', async () => {
    const { backupId } = await scene.newSource();
    const stranger = await service.newTenant();
    await expectRefused(stranger, backupId, 404, 'Backup not found');
    await expectRefused(stranger, crypto.randomUUID(), 404, 'Backup not found');
  });

  test('from a backup that failed', async () => {
    const server = await scene.backups.newServer({ botAccess: { isMember: false } });
    const { id, status } = await scene.backups.takeBackup(server);
    expect(status).toBe('failed');
    await expectRefused(server.tenant, id, 409, 'completed');
  });

  test('without the roles that say who sees what', async () => {
    const server = await scene.backups.newServer();
    const { id } = await scene.backups.takeBackup(server, { components: ['channels'] });
    await expectRefused(server.tenant, id, 409, 'roles and channels');
  });

  test('that would not come back whole', async () => {
    const { tenant, backupId } = await scene.newSource({ emojis: [{ id: '777', name: 'lost' }] });
    await expectRefused(tenant, backupId, 409, 'The emoji lost is missing');
    expect(await holdsOf(tenant)).toBe(0);
  });

  test('where the storage is full', async () => {
    const tenant = await service.newTenant({ plan: 'BUSINESS' });
    const size = { channels: 10, roles: 5, emojis: 12, pictureBytes: 20_000 };
    const { backupId } = await largeSource(size, tenant);
    await service.db.$client`
      update storage_used set bytes = ${limitBytes} where account_id = ${tenant.accountId}`;
    await expectRefused(tenant, backupId, 403, 'storage');
  });

  test('and what a refusal left behind goes', async () => {
    const strayIn = async (minutes: number) => {
      const at = new Date(Date.now() + minutes * 60_000);
      const { db, queue, log } = service;
      const tools = { db, queue, log, clock: { now: () => at } };
      await keepUpWithMarket(tools, new AbortController().signal);
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

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Plans } from '@holdfast/contract';
import {
  type BackupFixture,
  createBackupFixture,
  expectExactStorage,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
import { moveToPlan } from '../../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { largeGuild } from '../../../../test/harness/guilds/large-guild.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/harness/simulator/start.ts';

const limitBytes = 150_000;

/** PREMIUM may hold four backups, BUSINESS little storage, FREE next to none. */
const plans: Plans = {
  ...plansWithoutRateLimit,
  FREE: { ...plansWithoutRateLimit.FREE, maxServers: 10, maxStorageBytes: 1000 },
  PREMIUM: { ...plansWithoutRateLimit.PREMIUM, maxBackups: 4 },
  BUSINESS: { ...plansWithoutRateLimit.BUSINESS, maxStorageBytes: limitBytes },
};

let simulator: TestSimulator;
let service: TestService;
let fixture: BackupFixture;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({
    plans,
    doesWork: ['backups.run', 'backups.release', 'restores.run'],
  });
  fixture = createBackupFixture(service, simulator);
});
afterAll(() => service.stop());

const fill = ({ guildId }: OwnedGuild, emojis: number): Promise<unknown> => {
  const size = { channels: 10, roles: 5, emojis, pictureBytes: 20_000 };
  return simulator.control('PUT', `/guilds/${guildId}`, largeGuild(guildId, size));
};

const serverWith = async (emojis: number, owner?: Tenant) => {
  const server = await fixture.newServer(
    {},
    owner ?? (await service.newTenant({ plan: 'BUSINESS' })),
  );
  await fill(server, emojis);
  return server;
};

describe('the number of backups', () => {
  test('holds for ten at once, and neither failed ones nor safety backups count', async () => {
    const server = await fixture.newServer(undefined, await service.newTenant({ plan: 'PREMIUM' }));
    const { tenant, guildId, serverId } = server;
    const guild = await simulator.control('GET', `/guilds/${guildId}`);
    const first = await fixture.takeBackup(server);
    expect((await fixture.restore(server, first.id)).safetyBackupId).toBeString();
    await simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: false } });
    expect((await fixture.takeBackup(server)).status).toBe('failed');
    await simulator.control('PUT', `/guilds/${guildId}`, guild);
    // As when the gateway tells that the bot is back.
    await service.db.$client`delete from refused_guilds where guild_id = ${guildId}`;
    for (let more = 0; more < 2; more++) {
      expect((await fixture.takeBackup(server)).status).toBe('completed');
    }

    const creates = Array.from({ length: 10 }, () =>
      tenant.call('POST', fixture.backupsOf(serverId)),
    );
    const replies = await Promise.all(creates);
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([202, ...Array(9).fill(403)]);
    const refused = replies.find(({ status }) => status === 403);
    expect(refused?.body.error).toContain("PREMIUM plan's limit for backups (4)");
    const listed = (await tenant.call('GET', fixture.backupsOf(serverId))).body.pagination;
    expect(listed.total).toBe(6);
  });
});

describe('the storage', () => {
  test('that is used up refuses a backup at once', async () => {
    const server = await serverWith(2);
    await fixture.takeBackup(server);
    const tenant = await moveToPlan(service, server.tenant, 'FREE');
    const refused = await tenant.call('POST', fixture.backupsOf(server.serverId));
    expect(refused.status).toBe(403);
    expect(refused.body.error).toContain("FREE plan's storage (1000 bytes)");
  });

  test('that runs out under a backup fails it, and what it took is given back', async () => {
    const server = await serverWith(4);
    expect((await fixture.takeBackup(server)).status).toBe('completed');
    const usedBefore = await expectExactStorage(fixture, server);
    await fill(server, 8);
    const failed = await fixture.takeBackup(server);
    expect(failed).toMatchObject({ status: 'failed', checksum: null, storedBytes: 0 });
    expect(failed.error).toContain("The plan's storage is used up");
    await eventually(10_000, async () => {
      expect(await expectExactStorage(fixture, server)).toBe(usedBefore);
    });
    await fill(server, 2);
    expect((await fixture.takeBackup(server)).status).toBe('completed');
  });

  test('is never passed by backups that run at once', async () => {
    const tenant = await service.newTenant({ plan: 'BUSINESS' });
    const servers: OwnedGuild[] = [];
    for (let count = 0; count < 6; count++) servers.push(await serverWith(3, tenant));
    const begun = await Promise.all(
      servers.map(async (server) => ({ server, backupId: await fixture.begin(server) })),
    );
    let isOver = false;
    let mostBytes = 0;
    const watching = (async () => {
      while (!isOver) {
        mostBytes = Math.max(mostBytes, (await fixture.storageOf({ tenant })).countedBytes);
      }
    })();
    const ends = await Promise.all(
      begun.map(({ server, backupId }) => fixture.ended(server, backupId)),
    );
    isOver = true;
    await watching;
    expect(mostBytes).toBeLessThanOrEqual(limitBytes);
    expect(mostBytes).toBeGreaterThan(0);
    const stored = ends.filter(({ status }) => status === 'completed');
    expect(stored.length).toBeLessThan(3);
    await eventually(10_000, async () => {
      const used = await expectExactStorage(fixture, { tenant });
      expect(used).toBeLessThanOrEqual(limitBytes);
      const completedBytes = stored.reduce((total, { storedBytes }) => total + storedBytes, 0);
      // An object that a completed one shares with a failed one came with the failed one.
      expect(used - completedBytes).toBeLessThan(10_000);
    });
  });

  test('that is used up prevents no restore', async () => {
    const server = await serverWith(4);
    const backup = await fixture.takeBackup(server);
    await fill(server, 4);
    const restore = await fixture.restore(server, backup.id);
    expect(restore.status).toBe('completed');
    expect(await fixture.read(server, restore.safetyBackupId)).toMatchObject({
      kind: 'PRE_RESTORE',
      status: 'completed',
    });
    expect(await expectExactStorage(fixture, server)).toBeGreaterThan(limitBytes);
  });
});

// Takes about 28 s: started before shorter ones.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type BackupFixture,
  createBackupFixture,
  expectExactStorage,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { largeGuild, randomPicture } from '../../../../test/harness/guilds/large-guild.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { verifyObjects } from './read-objects.ts';
import { sweepStorage } from './sweep/sweep-storage.ts';

let simulator: TestSimulator;
let service: TestService;
let fixture: BackupFixture;
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({
    platformApiUrl: simulator.apiUrl,
    doesWork: ['backups.run', 'backups.release', 'restores.run', 'servers.purge'],
  });
  fixture = createBackupFixture(service, simulator);
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

const neverAborted = new AbortController().signal;
const size = { channels: 10, roles: 5, emojis: 4, pictureBytes: 20_000 };

const newServer = async () => {
  const server = await fixture.newServer({});
  const guild = largeGuild(server.guildId, size);
  await simulator.control('PUT', `/guilds/${server.guildId}`, guild);
  return { server, guild };
};

const sweep = () => sweepStorage({ ...service, clock: systemClock }, neverAborted);

const verify = ({ tenant: { accountId } }: OwnedGuild, backupId: string) =>
  verifyObjects(service.db, service.blobs, { accountId, backupId }, neverAborted);

const slowDown = ({ guildId }: OwnedGuild, route: string, ms: number) =>
  simulator.control('POST', '/faults', {
    match: { method: 'GET', route, guildId },
    action: 'delay',
    ms,
  });

const errorsLogged = (): string[] =>
  service.logLines.filter(
    (line) => line.includes('"level":"error"') || line.includes('"level":50'),
  );

describe('deleting a backup', () => {
  test('releases objects that no other backup refers to, and keeps shared ones', async () => {
    const { server, guild } = await newServer();
    const first = await fixture.takeBackup(server);
    const usedByOne = await expectExactStorage(fixture, server);
    const [emoji] = guild.emojis;
    const images = { [`emojis/${emoji?.id}`]: randomPicture(30_000) };
    await simulator.control('PUT', `/guilds/${server.guildId}`, { ...guild, images });
    const second = await fixture.takeBackup(server);
    expect(second.storedBytes).toBeWithin(30_000, 40_000);

    expect((await fixture.delete(server, first.id)).status).toBe(200);
    await eventually(10_000, async () => {
      const used = await expectExactStorage(fixture, server);
      expect(used - usedByOne).toBeWithin(9_000, 11_000);
    });
    await verify(server, second.id);

    expect((await fixture.delete(server, second.id)).status).toBe(200);
    await eventually(10_000, async () => {
      expect(await fixture.storageOf(server)).toMatchObject({
        countedBytes: 0,
        objects: 0,
        files: 0,
      });
    });
  });

  test('while it runs ends it without a failure, and nothing of it stays', async () => {
    const { server } = await newServer();
    await slowDown(server, '/guilds/:id/bans', 1500);
    const backupId = await fixture.begin(server);
    await eventually(10_000, async () => {
      expect((await fixture.storageOf(server)).files).toBeGreaterThanOrEqual(4);
    });
    const errorsBefore = errorsLogged().length;
    expect((await fixture.delete(server, backupId)).status).toBe(200);
    await eventually(20_000, async () => {
      const [job] = await service.db.$client`
        select state from pgboss.job where name = 'backups.run' and data->>'backupId' = ${backupId}`;
      expect(job.state).toBe('completed');
    });
    expect(errorsLogged().slice(errorsBefore)).toEqual([]);
    await sweep();
    expect(await fixture.storageOf(server)).toMatchObject({
      countedBytes: 0,
      objects: 0,
      files: 0,
    });
  });

  test('that a restore is reading is refused until the restore has ended', async () => {
    const { server } = await newServer();
    const backup = await fixture.takeBackup(server);
    await slowDown(server, '/guilds/:id/bans', 2000);
    const restoring = fixture.restore(server, backup.id);
    await eventually(10_000, async () => {
      const holding = await service.db
        .$client`select 1 from restores where held_backup_id = ${backup.id}`;
      expect(holding).toHaveLength(1);
    });
    await eventually(10_000, async () => {
      const refused = await fixture.delete(server, backup.id);
      expect(refused.status).toBe(409);
      expect(refused.body.error).toBe('A restore is using this backup');
    });
    expect((await restoring).status).toBe('completed');
    expect((await fixture.delete(server, backup.id)).status).toBe(200);
  });

  test('and taking others of the same content at once never leaves one without its objects', async () => {
    const { server } = await newServer();
    let last = (await fixture.takeBackup(server)).id;
    for (let round = 0; round < 20; round++) {
      const [deleted, ...begun] = await Promise.all([
        fixture.delete(server, last),
        ...Array.from({ length: 3 }, () => fixture.begin(server)),
      ]);
      expect(deleted.status).toBe(200);
      const [kept = '', ...others] = begun;
      // One of them goes while it may still be running.
      await fixture.delete(server, others.at(-1) ?? '');
      for (const backupId of [kept, ...others.slice(0, -1)]) {
        expect((await fixture.ended(server, backupId)).status).toBe('completed');
        await verify(server, backupId);
      }
      for (const backupId of others.slice(0, -1)) await fixture.delete(server, backupId);
      last = kept;
    }
    await eventually(10_000, async () => {
      await sweep();
      await expectExactStorage(fixture, server);
    });
    await verify(server, last);
    await fixture.delete(server, last);
    await eventually(10_000, async () => {
      await sweep();
      expect(await fixture.storageOf(server)).toMatchObject({
        countedBytes: 0,
        objects: 0,
        files: 0,
      });
    });
  });
});

test('deleting a server releases the storage of its backups, and nothing of another server', async () => {
  const { server } = await newServer();
  const other = await fixture.newServer(largeGuild(server.guildId, size), server.tenant);
  await fixture.takeBackup(server);
  await fixture.takeBackup(server);
  const kept = await fixture.takeBackup(other);
  const { tenant, serverId } = server;
  expect((await tenant.call('DELETE', `/api/v1/servers/${serverId}`)).status).toBe(200);
  await eventually(20_000, async () => {
    const left = await service.db.$client`select id from backups where server_id = ${serverId}`;
    expect(left).toHaveLength(0);
  });
  await sweep();
  // What both shared, such as their empty sections, came with the other.
  const used = await expectExactStorage(fixture, server);
  expect(used - kept.storedBytes).toBeWithin(0, 2000);
  await verify(other, kept.id);
});

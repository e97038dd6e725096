import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type BackupScene,
  createBackupScene,
  expectExactStorage,
  type OwnedGuild,
} from '../../../test/backup-scene.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestService, type TestService } from '../../../test/harness.ts';
import { largeGuild, randomPicture } from '../../../test/large-guild.ts';
import { startTestSimulator, type TestSimulator } from '../../../test/simulator.ts';
import { sweepStorage } from './objects/free-objects.ts';
import { verifyObjects } from './objects/read-objects.ts';

let simulator: TestSimulator;
let service: TestService;
let scene: BackupScene;
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({
    platformApiUrl: simulator.apiUrl,
    doesWork: ['backups.run', 'backups.free', 'restores.run', 'servers.purge'],
  });
  scene = createBackupScene(service, simulator);
}, 30_000);
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

const neverAborted = new AbortController().signal;
const size = { channels: 10, roles: 5, emojis: 4, pictureBytes: 20_000 };

const newServer = async () => {
  const server = await scene.newServer({});
  const guild = largeGuild(server.guildId, size);
  await simulator.control('PUT', `/guilds/${server.guildId}`, guild);
  return { server, guild };
};

const sweep = () => sweepStorage(service.db, service.blobs, neverAborted);

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
  test('frees what no other refers to, and keeps what is shared', async () => {
    const { server, guild } = await newServer();
    const first = await scene.takeBackup(server);
    const usedByOne = await expectExactStorage(scene, server);
    const [emoji] = guild.emojis;
    const images = { [`emojis/${emoji?.id}`]: randomPicture(30_000) };
    await simulator.control('PUT', `/guilds/${server.guildId}`, { ...guild, images });
    const second = await scene.takeBackup(server);
    expect(second.storedBytes).toBeWithin(30_000, 40_000);

    expect((await scene.delete(server, first.id)).status).toBe(200);
    await eventually(10_000, async () => {
      const used = await expectExactStorage(scene, server);
      expect(used - usedByOne).toBeWithin(9_000, 11_000);
    });
    await verify(server, second.id);

    expect((await scene.delete(server, second.id)).status).toBe(200);
    await eventually(10_000, async () => {
      expect(await scene.storageOf(server)).toMatchObject({
        countedBytes: 0,
        objects: 0,
        files: 0,
      });
    });
  }, 30_000);

  test('while it is taken ends it without a word, and nothing of it stays', async () => {
    const { server } = await newServer();
    await slowDown(server, '/guilds/:id/bans', 1500);
    const backupId = await scene.begin(server);
    await eventually(10_000, async () => {
      expect((await scene.storageOf(server)).files).toBeGreaterThanOrEqual(4);
    });
    const errorsBefore = errorsLogged().length;
    expect((await scene.delete(server, backupId)).status).toBe(200);
    await eventually(20_000, async () => {
      const [job] = await service.db.$client`
        select state from pgboss.job where name = 'backups.run' and data->>'backupId' = ${backupId}`;
      expect(job.state).toBe('completed');
    });
    expect(errorsLogged().slice(errorsBefore)).toEqual([]);
    await sweep();
    expect(await scene.storageOf(server)).toMatchObject({ countedBytes: 0, objects: 0, files: 0 });
  }, 40_000);

  test('that a restore is reading is refused until the restore has ended', async () => {
    const { server } = await newServer();
    const backup = await scene.takeBackup(server);
    await slowDown(server, '/guilds/:id/bans', 2000);
    const restoring = scene.restore(server, backup.id);
    await eventually(10_000, async () => {
      const held = await service.db
        .$client`select 1 from restores where held_backup_id = ${backup.id}`;
      expect(held).toHaveLength(1);
    });
    await eventually(10_000, async () => {
      const refused = await scene.delete(server, backup.id);
      expect(refused.status).toBe(409);
      expect(refused.body.error).toBe('A restore is using this backup');
    });
    expect((await restoring).status).toBe('completed');
    expect((await scene.delete(server, backup.id)).status).toBe(200);
  }, 60_000);

  test('and taking others of the same content at once never leaves one without its objects', async () => {
    const { server } = await newServer();
    let last = (await scene.takeBackup(server)).id;
    for (let round = 0; round < 20; round++) {
      const [deleted, ...begun] = await Promise.all([
        scene.delete(server, last),
        ...Array.from({ length: 3 }, () => scene.begin(server)),
      ]);
      expect(deleted.status).toBe(200);
      const [kept = '', ...others] = begun;
      // One of them goes while it may still be running.
      await scene.delete(server, others.at(-1) ?? '');
      for (const backupId of [kept, ...others.slice(0, -1)]) {
        expect((await scene.ended(server, backupId)).status).toBe('completed');
        await verify(server, backupId);
      }
      for (const backupId of others.slice(0, -1)) await scene.delete(server, backupId);
      last = kept;
    }
    await eventually(10_000, async () => {
      await sweep();
      await expectExactStorage(scene, server);
    });
    await verify(server, last);
    await scene.delete(server, last);
    await eventually(10_000, async () => {
      await sweep();
      expect(await scene.storageOf(server)).toMatchObject({
        countedBytes: 0,
        objects: 0,
        files: 0,
      });
    });
  }, 120_000);
});

test('deleting a server frees the storage of its backups, and nothing of another server', async () => {
  const { server } = await newServer();
  const other = await scene.newServer(largeGuild(server.guildId, size), server.tenant);
  await scene.takeBackup(server);
  await scene.takeBackup(server);
  const kept = await scene.takeBackup(other);
  const { tenant, serverId } = server;
  expect((await tenant.call('DELETE', `/api/v1/servers/${serverId}`)).status).toBe(200);
  await eventually(20_000, async () => {
    const left = await service.db.$client`select id from backups where server_id = ${serverId}`;
    expect(left).toHaveLength(0);
  });
  await sweep();
  // What both shared, such as their empty sections, came with the other.
  const used = await expectExactStorage(scene, server);
  expect(used - kept.storedBytes).toBeWithin(0, 2000);
  await verify(other, kept.id);
}, 60_000);

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  type BackupScene,
  createBackupScene,
  expectExactStorage,
} from '../../../test/backup-scene.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestService, type TestService } from '../../../test/harness.ts';
import { largeGuild } from '../../../test/large-guild.ts';
import { startTestSimulator, type TestSimulator } from '../../../test/simulator.ts';
import { backupToolsOf, holdBackupLease, takeBackupNow } from '../../../test/take-backup-now.ts';
import { createFileStore } from '../../integrations/blobs/file-store.ts';
import { createSealedBlobs } from '../../integrations/blobs/sealed-blobs.ts';
import { type BlobStore, StorageUnavailable } from '../../integrations/blobs/store.ts';
import { LeaseLost } from '../../queue/lease.ts';
import { sweepStorage } from './objects/free-objects.ts';
import { verifyObjects } from './objects/read-objects.ts';
import { takeBackup } from './take-backup.ts';

let simulator: TestSimulator;
let service: TestService;
let scene: BackupScene;
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({ platformApiUrl: simulator.apiUrl });
  scene = createBackupScene(service, simulator);
}, 30_000);
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

const neverAborted = new AbortController().signal;

const newServer = async (channels: number, wish: object = {}) => {
  const server = await scene.newServer({});
  const size = { channels, roles: 30, emojis: 3, pictureBytes: 5000 };
  await simulator.control('PUT', `/guilds/${server.guildId}`, largeGuild(server.guildId, size));
  const backupId = await scene.begin(server, wish);
  return { server, owner: { accountId: server.tenant.accountId, backupId } };
};

const referencesOf = async (backupId: string): Promise<number> => {
  const [row] = await service.db.$client`
    select count(*) as total from backup_blobs where backup_id = ${backupId}`;
  return Number(row.total);
};

test('a worker that lost its lease takes nothing from the one that goes on', async () => {
  const { server, owner } = await newServer(20);
  const tools = backupToolsOf(service, simulator.apiUrl);
  await simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id/bans', guildId: server.guildId },
    action: 'delay',
    ms: 1500,
  });
  const stale = await holdBackupLease(tools, owner, 1);
  try {
    await Bun.sleep(20);
    const going = takeBackupNow(tools, owner);
    await eventually(5000, async () => {
      expect(await referencesOf(owner.backupId)).toBeGreaterThanOrEqual(3);
    });
    const late = takeBackup(tools, owner, { signal: neverAborted, lease: stale });
    await expect(late).rejects.toThrow(LeaseLost);
    await going;
  } finally {
    stale.letGo();
  }
  expect((await scene.read(server, owner.backupId)).status).toBe('completed');
  const { objects } = await scene.storageOf(server);
  expect(await referencesOf(owner.backupId)).toBe(objects);
  await sweepStorage(service.db, service.blobs, neverAborted);
  await verifyObjects(service.db, service.blobs, owner, neverAborted);
  expect((await scene.storageOf(server)).objects).toBe(objects);
}, 30_000);

/** A disk that refuses one object in the middle of many, and takes all the others. */
const storeThatFailsOnce = (store: BlobStore, atPut: number): BlobStore => {
  let puts = 0;
  return {
    ...store,
    async put(name, bytes) {
      if (++puts === atPut) throw new StorageUnavailable('EIO');
      await store.put(name, bytes);
    },
  };
};

test('a backup that fails in the middle of its objects holds on to none of them', async () => {
  const tools = backupToolsOf(service, simulator.apiUrl);
  const store = createFileStore(join(service.dataDir, 'blobs'));
  for (let round = 0; round < 5; round++) {
    const blobs = createSealedBlobs(storeThatFailsOnce(store, 1 + round), service.ring);
    const { server, owner } = await newServer(400, { components: ['channels'] });
    await takeBackupNow({ ...tools, blobs }, owner);
    expect(await scene.read(server, owner.backupId)).toMatchObject({
      status: 'failed',
      error: 'The blob store cannot be used: EIO',
    });
    await Bun.sleep(200);
    expect(await referencesOf(owner.backupId)).toBe(0);
    await sweepStorage(service.db, service.blobs, neverAborted);
    expect(await expectExactStorage(scene, server)).toBe(0);
  }
}, 60_000);

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  type BackupFixture,
  createBackupFixture,
  expectExactStorage,
} from '../../../../test/harness/backups/fixture.ts';
import {
  backupDependencies,
  holdBackupLease,
  runBackupNow,
} from '../../../../test/harness/backups/run-backup.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { largeGuild } from '../../../../test/harness/guilds/large-guild.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';
import { type BlobStore, StorageUnavailable } from '../../../integrations/blobs/blob-store.ts';
import { createFileStore } from '../../../integrations/blobs/file-store.ts';
import { createSealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { LeaseLost } from '../../../queue/lease/lease.ts';
import { verifyObjects } from '../objects/read-objects.ts';
import { sweepStorage } from '../objects/sweep/sweep-storage.ts';
import { executeBackup } from './execute-backup.ts';

let simulator: TestSimulator;
let service: TestService;
let fixture: BackupFixture;
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({ platformApiUrl: simulator.apiUrl });
  fixture = createBackupFixture(service, simulator);
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

const neverAborted = new AbortController().signal;

const newServer = async (channels: number, request: object = {}) => {
  const server = await fixture.newServer({});
  const size = { channels, roles: 30, emojis: 3, pictureBytes: 5000 };
  await simulator.control('PUT', `/guilds/${server.guildId}`, largeGuild(server.guildId, size));
  const backupId = await fixture.begin(server, request);
  return { server, owner: { accountId: server.tenant.accountId, backupId } };
};

const referencesOf = async (backupId: string): Promise<number> => {
  const [row] = await service.db.$client`
    select count(*) as total from backup_blobs where backup_id = ${backupId}`;
  return Number(row.total);
};

test('a worker that lost its lease deletes nothing of the one that continues', async () => {
  const { server, owner } = await newServer(20);
  const dependencies = backupDependencies(service, simulator.apiUrl);
  await simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id/bans', guildId: server.guildId },
    action: 'delay',
    ms: 1500,
  });
  const stale = await holdBackupLease(dependencies, owner, 1);
  try {
    await Bun.sleep(20);
    const running = runBackupNow(dependencies, owner);
    await eventually(5000, async () => {
      expect(await referencesOf(owner.backupId)).toBeGreaterThanOrEqual(3);
    });
    const late = executeBackup(dependencies, owner, { signal: neverAborted, lease: stale });
    await expect(late).rejects.toThrow(LeaseLost);
    await running;
  } finally {
    stale.stopRenewing();
  }
  expect((await fixture.read(server, owner.backupId)).status).toBe('completed');
  const { objects } = await fixture.storageOf(server);
  expect(await referencesOf(owner.backupId)).toBe(objects);
  await sweepStorage({ ...service, clock: systemClock }, neverAborted);
  await verifyObjects(service.db, service.blobs, owner, neverAborted);
  expect((await fixture.storageOf(server)).objects).toBe(objects);
});

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
  const dependencies = backupDependencies(service, simulator.apiUrl);
  const store = createFileStore(join(service.dataDir, 'blobs'));
  for (let round = 0; round < 5; round++) {
    const blobs = createSealedBlobs(storeThatFailsOnce(store, 1 + round), service.ring);
    const { server, owner } = await newServer(400, { components: ['channels'] });
    await runBackupNow({ ...dependencies, blobs }, owner);
    expect(await fixture.read(server, owner.backupId)).toMatchObject({
      status: 'failed',
      error: 'The blob store cannot be used: EIO',
    });
    await Bun.sleep(200);
    expect(await referencesOf(owner.backupId)).toBe(0);
    await sweepStorage({ ...service, clock: systemClock }, neverAborted);
    expect(await expectExactStorage(fixture, server)).toBe(0);
  }
});

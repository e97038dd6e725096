import { expect } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBackupScene, expectExactStorage } from '../../../test/backup-scene.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestService, type TestService } from '../../../test/harness.ts';
import { largeGuild } from '../../../test/large-guild.ts';
import { sharedSimulator } from '../../../test/simulator.ts';
import { testOnSmallDisk } from '../../../test/small-disk.ts';
import { createFileStore } from '../../integrations/blobs/file-store.ts';
import { verifyObjects } from './objects/read-objects.ts';

const size = { channels: 40, roles: 20, emojis: 50, pictureBytes: 20_000 };
const neverAborted = new AbortController().signal;

/** References of backups that hold nothing, and objects that nothing refers to. */
const orphanRows = async ({ db }: TestService): Promise<number> => {
  const [counted] = await db.$client`
    select (select count(*) from backup_blobs join backups on id = backup_id where status = 'failed')
      + (select count(*) from blobs where id not in (select blob_id from backup_blobs)) as orphans`;
  return Number(counted.orphans);
};

const backUpOnFullDisk = async (folder: string): Promise<void> => {
  const simulator = await sharedSimulator();
  const service = await startTestService({
    doesWork: ['backups.run', 'backups.free'],
    blobStore: createFileStore(join(folder, 'blobs')),
  });
  try {
    const scene = createBackupScene(service, simulator);
    const server = await scene.newServer();
    const first = await scene.takeBackup(server);
    expect(first.status).toBe('completed');
    const usedBefore = await expectExactStorage(scene, server);

    await simulator.control('PUT', `/guilds/${server.guildId}`, largeGuild(server.guildId, size));
    const filler = join(folder, 'filler');
    await writeFile(filler, Buffer.alloc(3_300_000));
    const second = await scene.takeBackup(server);
    expect(second).toMatchObject({ status: 'failed', checksum: null, storedBytes: 0 });
    expect(second.error).toBe('The storage is full');
    await eventually(10_000, async () => {
      expect(await orphanRows(service)).toBe(0);
      expect(await expectExactStorage(scene, server)).toBe(usedBefore);
    });
    const { accountId } = server.tenant;
    await verifyObjects(service.db, service.blobs, { accountId, backupId: first.id }, neverAborted);

    await rm(filler);
    const third = await scene.takeBackup(server);
    expect(third).toMatchObject({ status: 'completed', warnings: [], counts: { emojis: 50 } });
    await verifyObjects(service.db, service.blobs, { accountId, backupId: third.id }, neverAborted);
    expect(await expectExactStorage(scene, server)).toBe(usedBefore + third.storedBytes);
  } finally {
    await service.stop();
  }
};

await testOnSmallDisk(
  'a backup that fills the disk fails and says so, harms no other, and the next one works',
  4,
  backUpOnFullDisk,
  60_000,
);

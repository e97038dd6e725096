import { expect } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createBackupFixture,
  expectExactStorage,
} from '../../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { largeGuild } from '../../../../test/harness/guilds/large-guild.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';
import { testOnSmallDisk } from '../../../../test/harness/storage/small-disk.ts';
import { createFileStore } from '../../../integrations/blobs/file-store.ts';
import { verifyObjects } from './read-objects.ts';

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
    doesWork: ['backups.run', 'backups.release'],
    blobStore: createFileStore(join(folder, 'blobs')),
  });
  try {
    const fixture = createBackupFixture(service, simulator);
    const server = await fixture.newServer();
    const first = await fixture.takeBackup(server);
    expect(first.status).toBe('completed');
    const usedBefore = await expectExactStorage(fixture, server);

    await simulator.control('PUT', `/guilds/${server.guildId}`, largeGuild(server.guildId, size));
    const filler = join(folder, 'filler');
    await writeFile(filler, Buffer.alloc(3_300_000));
    const second = await fixture.takeBackup(server);
    expect(second).toMatchObject({ status: 'failed', checksum: null, storedBytes: 0 });
    expect(second.error).toBe('The storage is full');
    await eventually(10_000, async () => {
      expect(await orphanRows(service)).toBe(0);
      expect(await expectExactStorage(fixture, server)).toBe(usedBefore);
    });
    const { accountId } = server.tenant;
    await verifyObjects(service.db, service.blobs, { accountId, backupId: first.id }, neverAborted);

    await rm(filler);
    const third = await fixture.takeBackup(server);
    expect(third).toMatchObject({ status: 'completed', warnings: [], counts: { emojis: 50 } });
    await verifyObjects(service.db, service.blobs, { accountId, backupId: third.id }, neverAborted);
    expect(await expectExactStorage(fixture, server)).toBe(usedBefore + third.storedBytes);
  } finally {
    await service.stop();
  }
};

await testOnSmallDisk(
  'a backup that fills the disk fails and says so, harms no other, and the next one works',
  4,
  backUpOnFullDisk,
);

import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type BackupFixture,
  createBackupFixture,
  expectExactStorage,
} from '../../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';
import { type S3Server, startS3Server } from '../../../../test/harness/storage/s3-server.ts';
import { openBlobStore } from '../../../integrations/blobs/open-store.ts';
import { Secret } from '../../../kernel/secret.ts';
import { verifyObjects } from './read-objects.ts';

let s3: S3Server;
let service: TestService;
let fixture: BackupFixture;
beforeAll(async () => {
  s3 = await startS3Server();
  service = await startTestService({
    doesWork: ['backups.run', 'backups.release', 'restores.run'],
    blobStore: openBlobStore({ blobUrl: new Secret(s3.blobUrl), dataDir: '' }),
  });
  fixture = createBackupFixture(service, await sharedSimulator());
});
afterAll(async () => {
  await service.stop();
  await s3.stop();
});

test('a backup lives in an S3 store from its first object to its last', async () => {
  const server = await fixture.newServer();
  const backup = await fixture.takeBackup(server);
  expect(backup).toMatchObject({ status: 'completed', warnings: [] });
  expect(await expectExactStorage(fixture, server)).toBe(backup.storedBytes);
  const { accountId } = server.tenant;
  const { signal } = new AbortController();
  await verifyObjects(service.db, service.blobs, { accountId, backupId: backup.id }, signal);
  const restore = await fixture.restore(server, backup.id);
  expect(restore.status).toBe('completed');
  expect((await fixture.delete(server, backup.id)).status).toBe(200);
  expect((await fixture.delete(server, restore.safetyBackupId)).status).toBe(200);
  await eventually(20_000, async () => {
    expect(await fixture.storageOf(server)).toMatchObject({
      countedBytes: 0,
      objects: 0,
      files: 0,
    });
  });
});

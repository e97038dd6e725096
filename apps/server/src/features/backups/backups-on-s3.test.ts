import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type BackupScene,
  createBackupScene,
  expectExactStorage,
} from '../../../test/backup-scene.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestService, type TestService } from '../../../test/harness.ts';
import { type S3Server, startS3Server } from '../../../test/s3-server.ts';
import { sharedSimulator } from '../../../test/simulator.ts';
import { Secret } from '../../kernel/secret.ts';
import { openBlobStore } from '../../integrations/blobs/open-store.ts';
import { verifyObjects } from './objects/read-objects.ts';

let s3: S3Server;
let service: TestService;
let scene: BackupScene;
beforeAll(async () => {
  s3 = await startS3Server();
  service = await startTestService({
    doesWork: ['backups.run', 'backups.free', 'restores.run'],
    blobStore: openBlobStore({ blobUrl: new Secret(s3.blobUrl), dataDir: '' }),
  });
  scene = createBackupScene(service, await sharedSimulator());
}, 30_000);
afterAll(async () => {
  await service.stop();
  await s3.stop();
});

test('a backup lives in an S3 store from its first object to its last', async () => {
  const server = await scene.newServer();
  const backup = await scene.takeBackup(server);
  expect(backup).toMatchObject({ status: 'completed', warnings: [] });
  expect(await expectExactStorage(scene, server)).toBe(backup.storedBytes);
  const { accountId } = server.tenant;
  const { signal } = new AbortController();
  await verifyObjects(service.db, service.blobs, { accountId, backupId: backup.id }, signal);
  const restore = await scene.restore(server, backup.id);
  expect(restore.status).toBe('completed');
  expect((await scene.delete(server, backup.id)).status).toBe(200);
  expect((await scene.delete(server, restore.safetyBackupId)).status).toBe(200);
  await eventually(20_000, async () => {
    expect(await scene.storageOf(server)).toMatchObject({ countedBytes: 0, objects: 0, files: 0 });
  });
}, 60_000);

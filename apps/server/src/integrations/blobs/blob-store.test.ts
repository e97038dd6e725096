import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startS3Server } from '../../../test/harness/storage/s3-server.ts';
import { testBlobStore } from '../../../test/harness/storage/store-cases.ts';
import { Secret } from '../../kernel/secret.ts';
import { openBlobStore } from './open-store.ts';

testBlobStore({
  name: 'file',
  kind: 'file',
  async start() {
    const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-blobs-'));
    const stop = () => rm(dataDir, { recursive: true, force: true });
    return { store: openBlobStore({ dataDir }), stop };
  },
});

testBlobStore({
  name: 'pretended S3',
  kind: 's3',
  async start() {
    const { blobUrl, stop } = await startS3Server();
    return { store: openBlobStore({ blobUrl: new Secret(blobUrl), dataDir: '/nowhere' }), stop };
  },
});

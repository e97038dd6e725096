import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../src/kernel/log.ts';
import { createMetrics } from '../../src/kernel/metrics.ts';
import { parseKeyRing } from '../../src/kernel/seal.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { jobNames } from '../../src/main/jobs.ts';
import { openBlobStore } from '../../src/integrations/blobs/open-store.ts';
import { createSealedBlobs, type SealedBlobs } from '../../src/integrations/blobs/sealed-blobs.ts';
import { type Queue, startQueue } from '../../src/queue/queue.ts';
import { type S3Server, startS3Server } from '../s3-server.ts';
import type { KillProxy } from './kill-proxy.ts';
import { type Lane, openLane } from './lane.ts';
import { startS3Proxy } from './s3-proxy.ts';

/** An installation whose blobs lie in an S3 store, with our own eyes and hands on store and queue. */
export type BackupPlace = { lane: Lane; proxy: KillProxy; blobs: SealedBlobs; queue: Queue };

export const openBackupPlace = async (): Promise<BackupPlace> => {
  const s3 = await startS3Server();
  const proxy = startS3Proxy(s3.endpoint);
  const lane = await openLane({ BLOB_URL: s3.blobUrl.replace(s3.endpoint, proxy.endpoint) });
  const log = createLog({ write: () => undefined });
  const tools = { url: lane.databaseUrl, isWorker: false, log, metrics: createMetrics() };
  const queue = await startQueue(jobNames, tools);
  const place = { proxy, queue, blobs: await openBlobs(lane, s3) };
  const close = async () => {
    await queue.stop();
    await lane.close();
    await proxy.stop();
    await s3.stop();
  };
  return { ...place, lane: { ...lane, close } };
};

const openBlobs = async ({ dataDir }: Lane, s3: S3Server): Promise<SealedBlobs> => {
  const ring = parseKeyRing((await readFile(join(dataDir, 'master.keys'), 'utf8')).trim());
  const store = openBlobStore({ dataDir, blobUrl: new Secret(s3.blobUrl) });
  return createSealedBlobs(store, ring);
};

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBlobStore } from '../../../src/integrations/blobs/open-store.ts';
import {
  createSealedBlobs,
  type SealedBlobs,
} from '../../../src/integrations/blobs/sealed-blobs.ts';
import { createLog } from '../../../src/kernel/log.ts';
import { createMetrics } from '../../../src/kernel/metrics.ts';
import { parseKeyRing } from '../../../src/kernel/seal.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { jobDefinitions } from '../../../src/main/jobs.ts';
import { type Queue, startQueue } from '../../../src/queue/queue.ts';
import { type KillProxy, startKillProxy } from '../../harness/network/kill-proxy.ts';
import { type S3Server, startS3Server } from '../../harness/storage/s3-server.ts';
import { type Lane, openLane } from '../lane/lane.ts';

/** An installation with its blobs in an S3 store, and access to its store and queue. */
export type BackupSetup = { lane: Lane; proxy: KillProxy; blobs: SealedBlobs; queue: Queue };

export const openBackupSetup = async (): Promise<BackupSetup> => {
  const s3 = await startS3Server();
  const proxy = startS3Proxy(s3.endpoint);
  const lane = await openLane({ BLOB_URL: s3.blobUrl.replace(s3.endpoint, proxy.endpoint) });
  const log = createLog({ write: () => undefined });
  const tools = { url: lane.databaseUrl, isWorker: false, log, metrics: createMetrics() };
  const queue = await startQueue(jobDefinitions, tools);
  const setup = { proxy, queue, blobs: await openBlobs(lane, s3) };
  const close = async () => {
    await queue.stop();
    await lane.close();
    await proxy.stop();
    await s3.stop();
  };
  return { ...setup, lane: { ...lane, close } };
};

const openBlobs = async ({ dataDir }: Lane, s3: S3Server): Promise<SealedBlobs> => {
  const ring = parseKeyRing((await readFile(join(dataDir, 'master.keys'), 'utf8')).trim());
  const store = openBlobStore({ dataDir, blobUrl: new Secret(s3.blobUrl) });
  return createSealedBlobs(store, ring);
};

/** The owner id of the blobs with which a starting service tests its store. */
const probesOf = '/00000000-0000-0000-0000-000000000000/';

/** A proxy between the service and its store that counts blob writes. */
const startS3Proxy = (target: string): KillProxy =>
  startKillProxy({
    target,
    counts: ({ method, url }) => method === 'PUT' && !url.includes(probesOf),
  });

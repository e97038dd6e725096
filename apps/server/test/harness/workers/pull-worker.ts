import { Registry } from 'prom-client';
import { z } from 'zod';
import { connectDatabase } from '../../../src/db/connect.ts';
import { setTokenStatus } from '../../../src/features/members/queries/person.ts';
import { runPull, runPullJob } from '../../../src/features/pulls/jobs.ts';
import { openBlobStore } from '../../../src/integrations/blobs/open-store.ts';
import { createSealedBlobs } from '../../../src/integrations/blobs/sealed-blobs.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/log.ts';
import { createMetrics } from '../../../src/kernel/metrics.ts';
import { parseKeyRing } from '../../../src/kernel/seal.ts';
import { cdnUrlOf } from '../../../src/platform/client/urls.ts';
import { createPlatformMetrics } from '../../../src/platform/metrics.ts';
import { createPlatformOAuth } from '../../../src/platform/oauth/oauth.ts';
import { createPlatform } from '../../../src/platform/platform.ts';
import type { LeaseTimes } from '../../../src/queue/lease/lease.ts';
import { startQueue } from '../../../src/queue/queue.ts';

/** A worker that only pulls, as a process of its own, whose leases are as short as a test wants them. */
const environment = z.object({
  DATABASE_URL: z.string(),
  MASTER_KEYS: z.string(),
  PLATFORM_API_URL: z.string(),
  WORKER_ID: z.string(),
  DATA_DIR: z.string(),
  LEASE_TIMES: z.string().transform((text): Partial<LeaseTimes> => JSON.parse(text)),
});

/** By this name the database knows its connections. */
export const connectionOf = (workerId: string): string => `holdfast-${workerId}`;

type PullWorker = { kill(signal: NodeJS.Signals): void; end(): Promise<unknown> };

type Settings = Record<keyof z.input<typeof environment>, string>;

/** Resolves once it looks for work. */
export const startPullWorker = async (settings: Settings): Promise<PullWorker> => {
  const child = Bun.spawn([process.execPath, '--no-env-file', import.meta.path], {
    env: { PATH: process.env.PATH, ...settings },
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const { value } = await child.stdout.getReader().read();
  if (value === undefined) throw new Error('The worker did not start');
  return {
    kill: (signal) => child.kill(signal),
    end() {
      child.kill('SIGKILL');
      return child.exited;
    },
  };
};

const work = async (): Promise<void> => {
  const settings = environment.parse(process.env);
  const { DATABASE_URL: url, PLATFORM_API_URL: apiUrl, WORKER_ID: workerId } = settings;
  const platformMetrics = createPlatformMetrics(new Registry());
  const log = createLog({ write: (line) => process.stderr.write(line) });
  const ring = parseKeyRing(settings.MASTER_KEYS);
  const tools = {
    ring,
    blobs: createSealedBlobs(openBlobStore({ dataDir: settings.DATA_DIR }), ring),
    db: connectDatabase(url, { name: connectionOf(workerId) }),
    clock: systemClock,
    platform: createPlatform({ apiUrl, cdnUrl: cdnUrlOf(apiUrl), metrics: platformMetrics }),
    oauth: createPlatformOAuth({ apiUrl, metrics: platformMetrics }),
    setTokenStatus,
    log,
  };
  const queue = await startQueue([runPull], {
    ...{ url, isWorker: true, log, metrics: createMetrics(), workerId },
    leaseTimes: settings.LEASE_TIMES,
  });
  await queue.work([runPullJob(tools)]);
  process.stdout.write('ready\n');
};

if (import.meta.main) await work();

import { Registry } from 'prom-client';
import { z } from 'zod';
import { connectDatabase } from '../../../src/db/connect.ts';
import { health } from '../../../src/features/health/feature.ts';
import { setTokenStatus } from '../../../src/features/members/queries/person.ts';
import { panels } from '../../../src/features/panels/feature.ts';
import { protection } from '../../../src/features/protection/feature.ts';
import { runPull, runPullJob } from '../../../src/features/pulls/jobs.ts';
import { runRestore, runRestoreJob } from '../../../src/features/restores/jobs.ts';
import { openBlobStore } from '../../../src/integrations/blobs/open-store.ts';
import { createSealedBlobs } from '../../../src/integrations/blobs/sealed-blobs.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/log.ts';
import { createMetrics } from '../../../src/kernel/metrics.ts';
import { parseKeyRing } from '../../../src/kernel/seal.ts';
import { startAside } from '../../../src/main/aside/start-aside.ts';
import { cdnUrlOf } from '../../../src/platform/client/urls.ts';
import { createPlatformMetrics } from '../../../src/platform/metrics.ts';
import { createPlatformOAuth } from '../../../src/platform/oauth/oauth.ts';
import { createPlatform } from '../../../src/platform/platform.ts';
import type { LeaseTimes } from '../../../src/queue/lease/lease.ts';
import { startQueue } from '../../../src/queue/queue.ts';

/**
 * A worker that only pulls and restores, as a process of its own, to be killed. Its leases are as short,
 * and its calls as quick, as a test wants them.
 */
const environment = z.object({
  DATABASE_URL: z.string(),
  MASTER_KEYS: z.string(),
  PLATFORM_API_URL: z.string(),
  WORKER_ID: z.string(),
  DATA_DIR: z.string(),
  LEASE_TIMES: z.string().transform((text): Partial<LeaseTimes> => JSON.parse(text)),
  CALLS_PER_SECOND: z.coerce.number().optional(),
});

/** By this name the database knows its connections. */
export const connectionOf = (workerId: string): string => `holdfast-${workerId}`;

export type JobWorker = {
  pid: number;
  exited: Promise<number>;
  kill(signal: NodeJS.Signals): void;
  end(): Promise<unknown>;
};

type Settings = Record<Exclude<keyof z.input<typeof environment>, 'CALLS_PER_SECOND'>, string> & {
  CALLS_PER_SECOND?: string;
};

/** Resolves once it looks for work. */
export const startJobWorker = async (settings: Settings): Promise<JobWorker> => {
  const child = Bun.spawn([process.execPath, '--no-env-file', import.meta.path], {
    env: { PATH: process.env.PATH, ...settings },
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const { value } = await child.stdout.getReader().read();
  if (value === undefined) throw new Error('The worker did not start');
  return {
    pid: child.pid,
    exited: child.exited,
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
    platform: createPlatform({
      ...{ apiUrl, cdnUrl: cdnUrlOf(apiUrl), metrics: platformMetrics },
      callsPerSecond: settings.CALLS_PER_SECOND,
    }),
    oauth: createPlatformOAuth({ apiUrl, metrics: platformMetrics }),
    setTokenStatus,
    findHeldBack: protection.findHeldBack,
    log,
  };
  const queue = await startQueue([runPull, runRestore], {
    ...{ url, isWorker: true, log, metrics: createMetrics(), workerId },
    leaseTimes: settings.LEASE_TIMES,
  });
  const restoring = {
    ...{ ...tools, queue, aside: startAside() },
    storageLimitOf: async () => Number.MAX_SAFE_INTEGER,
    judgeCapture: health.judgeCapture,
    listPanelMessages: panels.listMessages,
    assessHealth: health.create({ queue }).assessHealth,
    onCompleted: async () => undefined,
    onRestoreEnded: async () => undefined,
    completeUndoScope: protection.completeUndoScope,
  };
  await queue.work([runPullJob({ ...tools, queue }), runRestoreJob(restoring)]);
  process.stdout.write('ready\n');
};

if (import.meta.main) await work();

import { sql } from 'drizzle-orm';
import { fromDrizzle, PgBoss } from 'pg-boss';
import type { Transaction } from '../db/connect.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { Job, JobName } from './job.ts';

export type Queue = {
  /** Hands work over in the caller's transaction: committed together, or not at all. */
  enqueue<Payload extends object>(
    tx: Transaction,
    job: JobName<Payload>,
    payload: Payload,
  ): Promise<void>;
  /** Begins to do the work that is handed over, here and by other processes. */
  work(jobs: readonly Job[]): Promise<void>;
  isReachable(): Promise<boolean>;
  stop(): Promise<void>;
};

type Tools = { url: string; isWorker: boolean; log: Log; metrics: Metrics };

const queueOptions = {
  retryLimit: 20,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 300,
  /** A worker that is silent this long is dead, and its job is taken up by another. */
  heartbeatSeconds: 20,
  expireInSeconds: 6 * 60 * 60,
  retentionSeconds: 7 * 24 * 60 * 60,
};

export const startQueue = async (
  jobs: readonly JobName<object>[],
  tools: Tools,
): Promise<Queue> => {
  const { url, isWorker, log } = tools;
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'holdfast-queue',
    max: isWorker ? 4 : 2,
    connectionTimeoutMillis: 3000,
    supervise: isWorker,
    schedule: isWorker,
    superviseIntervalSeconds: 10,
    cronWorkerIntervalSeconds: 5,
  });
  boss.on('error', (err) => log.warn({ err }, 'queue'));
  await boss.start();
  for (const { name } of jobs) await boss.createQueue(name, queueOptions);

  return {
    async enqueue(tx, job, payload) {
      await boss.send(job.name, job.payload.parse(payload), { db: fromDrizzle(tx, sql) });
    },
    async work(toDo) {
      for (const job of toDo) await beginJob(boss, job, tools);
    },
    isReachable: () => boss.isInstalled().catch(() => false),
    stop: () => boss.stop({ graceful: true, timeout: 10_000 }),
  };
};

const beginJob = async (boss: PgBoss, job: Job, { log, metrics }: Tools): Promise<void> => {
  if (job.cron) await boss.schedule(job.name, job.cron, {});
  // Not merged with another start's: that one may be done already, with an older key ring.
  if (job.runsAtStart) await boss.send(job.name, {});
  const options = {
    batchSize: 1,
    pollingIntervalSeconds: 0.5,
    localConcurrency: job.concurrency ?? 1,
    heartbeatRefreshSeconds: 5,
  };
  await boss.work(job.name, options, async ([taken]) => {
    if (!taken) return;
    const startedAt = performance.now();
    const done = (outcome: 'completed' | 'failed') =>
      metrics.jobSeconds.observe(
        { job: job.name, outcome },
        (performance.now() - startedAt) / 1000,
      );
    try {
      await job.run(job.payload.parse(taken.data), taken.signal);
      done('completed');
    } catch (err) {
      done('failed');
      log.error({ err, job: job.name, jobId: taken.id }, 'job failed; it will be tried again');
      throw err;
    }
  });
};

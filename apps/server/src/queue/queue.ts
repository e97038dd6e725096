import { sql } from 'drizzle-orm';
import { fromDrizzle } from 'pg-boss';
import { afterCommit, closeDatabase, connectDatabase, type Transaction } from '../db/connect.ts';
import { defaultListenTimes, type ListenTimes } from '../db/notify/listen.ts';
import { resultWithin } from '../kernel/deadline.ts';
import { newId } from '../kernel/ids.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { type BossOptions, startBoss } from './boss.ts';
import { observeQueue } from './depth/metrics.ts';
import { inGroup, type Job, type JobDefinition } from './job.ts';
import { defaultLeaseTimes, type LeaseTimes } from './lease/lease.ts';
import { traceEnqueue } from './trace-job.ts';
import { createAnnouncer } from './worker/notifications.ts';
import { defaultPollTimes, type PollTimes } from './worker/poll.ts';
import { startWork, type Work } from './worker/worker.ts';

export type Queue = {
  /** Queues a job in the caller's transaction: it is committed with it, or not at all. */
  enqueue<Payload extends object>(
    tx: Transaction,
    job: JobDefinition<Payload>,
    payload: Payload,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** Starts to run the jobs that this and other processes enqueue. */
  work(jobs: readonly Job[]): Promise<void>;
  isReachable(): Promise<boolean>;
  stop(): Promise<void>;
};

export type EnqueueOptions = { startAfterSeconds?: number };

type QueueOptions = BossOptions & {
  metrics: Metrics;
  /** For notifications, which need a session: where `url` leads to a pooler in transaction mode. */
  directUrl?: string | undefined;
  /** The same after a restart of the worker, so that it resumes its own long jobs at once. */
  workerId?: string;
  leaseTimes?: Partial<LeaseTimes>;
  pollTimes?: Partial<PollTimes>;
  listenTimes?: Partial<ListenTimes>;
  /** Called whenever the database has answered a worker's poll. */
  onAnswer?: (() => void) | undefined;
};

const bossQueueOptions = {
  retryLimit: 20,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 300,
  /** A worker without a heartbeat for so long counts as dead, and its job is retried. */
  heartbeatSeconds: 20,
  expireInSeconds: 6 * 60 * 60,
  retentionSeconds: 7 * 24 * 60 * 60,
};

const answerWithinMs = 3000;
const stopWithinMs = 10_000;

export const startQueue = async (
  jobs: readonly JobDefinition<object>[],
  options: QueueOptions,
): Promise<Queue> => {
  const { url, directUrl = url, isWorker, workerId = newId() } = options;
  const boss = await startBoss(options);
  const existing = new Set((await boss.getQueues()).map(({ name }) => name));
  for (const { name } of jobs) {
    if (!existing.has(name)) await boss.createQueue(name, bossQueueOptions);
  }
  const db = connectDatabase(url, { name: 'holdfast-queue', poolSize: isWorker ? 2 : 1 });
  const senderId = newId();
  const { announce } = createAnnouncer(db, senderId);
  let work: Work | undefined;

  return {
    async enqueue(tx, job, payload, { startAfterSeconds } = {}) {
      await traceEnqueue(job.name, () =>
        boss.send(job.name, job.payload.parse(payload), {
          db: fromDrizzle(tx, sql),
          ...inGroup(job.groupOf?.(payload)),
          ...(startAfterSeconds !== undefined && { startAfter: startAfterSeconds }),
        }),
      );
      const isLater = (startAfterSeconds ?? 0) > 0;
      afterCommit(tx, () => {
        if (isLater) work?.pollSoon();
        else work?.wake(job.name);
        announce(job.name, isLater);
      });
    },
    async work(runnable) {
      const names = runnable.map(({ name }) => name);
      observeQueue(options.metrics.registry, db, names);
      const times = {
        times: { ...defaultLeaseTimes, ...options.leaseTimes },
        pollTimes: { ...defaultPollTimes, ...options.pollTimes },
        listenTimes: { ...defaultListenTimes, ...options.listenTimes },
      };
      work = await startWork(
        { ...options, ...times, directUrl, boss, db, workerId, senderId, announce },
        runnable,
      );
    },
    isReachable: () => resultWithin(answerWithinMs, boss.isInstalled(), false),
    async stop() {
      const stopped = boss.stop({ graceful: true, timeout: stopWithinMs });
      work?.interrupt();
      // pg-boss bounds the wait for the jobs only; its own last statements may get no answer.
      await Promise.race([stopped, Bun.sleep(stopWithinMs + 1000)]);
      await work?.close();
      await closeDatabase(db);
    },
  };
};

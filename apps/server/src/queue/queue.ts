import { sql } from 'drizzle-orm';
import { fromDrizzle, PgBoss } from 'pg-boss';
import { afterCommit, closeDatabase, connectDatabase, type Transaction } from '../db/connect.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { steadyNow } from '../kernel/steady-clock.ts';
import { bossConnection } from './boss-connection.ts';
import type { Job, JobName } from './job.ts';
import { type LeaseTimes, usualLeaseTimes } from './lease.ts';
import { createAnnouncer, type ListenTimes, usualListenTimes } from './notifications.ts';
import { type PollTimes, usualPollTimes } from './poll.ts';
import { startOnOwnSchema } from './schema.ts';
import { beginWork, type Work } from './work.ts';

export type Queue = {
  /** Hands work over in the caller's transaction: committed together, or not at all. */
  enqueue<Payload extends object>(
    tx: Transaction,
    job: JobName<Payload>,
    payload: Payload,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** Begins to do the work that is handed over, here and by other processes. */
  work(jobs: readonly Job[]): Promise<void>;
  isReachable(): Promise<boolean>;
  stop(): Promise<void>;
};

export type EnqueueOptions = {
  /** Whose work it is, such as an account's id: see `groupConcurrency` of a job. */
  group?: string;
  startAfterSeconds?: number;
};

type Tools = {
  url: string;
  isWorker: boolean;
  log: Log;
  metrics: Metrics;
  /** The same in every life of a worker, so that it takes up at once what it was at. */
  workerId?: string;
  leaseTimes?: Partial<LeaseTimes>;
  pollTimes?: Partial<PollTimes>;
  listenTimes?: Partial<ListenTimes>;
  /** How long the queue waits for an answer of the database (0: for ever), and as whom it asks. */
  connection?: { timeoutMs: number; name: string };
};

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

const answerWithinMs = 3000;
const stopWithinMs = 10_000;

export const startQueue = async (
  jobs: readonly JobName<object>[],
  tools: Tools,
): Promise<Queue> => {
  const { url, isWorker, workerId = newId() } = tools;
  const boss = await startBoss(tools);
  const known = new Set((await boss.getQueues()).map(({ name }) => name));
  for (const { name } of jobs) if (!known.has(name)) await boss.createQueue(name, queueOptions);
  const db = connectDatabase(url, { name: 'holdfast-queue', poolSize: isWorker ? 2 : 1 });
  const ourselves = newId();
  const { announce } = createAnnouncer(db, ourselves);
  let begun: Work | undefined;

  return {
    async enqueue(tx, job, payload, { group, startAfterSeconds } = {}) {
      await boss.send(job.name, job.payload.parse(payload), {
        db: fromDrizzle(tx, sql),
        ...(group !== undefined && { group: { id: group } }),
        ...(startAfterSeconds !== undefined && { startAfter: startAfterSeconds }),
      });
      const isLater = (startAfterSeconds ?? 0) > 0;
      afterCommit(tx, () => {
        if (isLater) begun?.lookSoon();
        else begun?.wake(job.name);
        announce(job.name, isLater);
      });
    },
    async work(toDo) {
      const times = { ...usualLeaseTimes, ...tools.leaseTimes };
      const pollTimes = { ...usualPollTimes, ...tools.pollTimes };
      const listenTimes = { ...usualListenTimes, ...tools.listenTimes };
      const how = {
        ...tools,
        boss,
        db,
        workerId,
        ourselves,
        announce,
        times,
        pollTimes,
        listenTimes,
      };
      begun = await beginWork(how, toDo);
    },
    isReachable: () =>
      Promise.race([
        boss.isInstalled().catch(() => false),
        Bun.sleep(answerWithinMs).then(() => false),
      ]),
    async stop() {
      const stopped = boss.stop({ graceful: true, timeout: stopWithinMs });
      begun?.interrupt();
      // The bound above is for the jobs; the queue's own last statements may be waiting for an answer.
      await Promise.race([stopped, Bun.sleep(stopWithinMs + 1000)]);
      await begun?.close();
      await closeDatabase(db);
    },
  };
};

/** A clock that is set back must not keep it from its schedules for as long as the step. */
const bossClock = { now: steadyNow, setTimeout, clearTimeout, setInterval, clearInterval };

const startBoss = async ({ url, isWorker, log, connection }: Tools): Promise<PgBoss> => {
  const boss = new PgBoss({
    ...(await bossConnection(url, connection)),
    max: isWorker ? 4 : 2,
    supervise: isWorker,
    schedule: isWorker,
    // Nobody queues a job that waits for another.
    flowIntervalSeconds: 60 * 60,
    superviseIntervalSeconds: 10,
    // Missed heartbeats are looked for no more often than this, whatever the interval above says.
    monitorIntervalSeconds: 10,
    cronWorkerIntervalSeconds: 5,
    clock: bossClock,
    clockMonitorIntervalSeconds: 60,
  });
  boss.on('error', (err) => log.warn({ err }, 'queue'));
  await startOnOwnSchema(boss);
  return boss;
};

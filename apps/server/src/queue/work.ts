import type { PgBoss } from 'pg-boss';
import type { Database } from '../db/connect.ts';
import { withoutValues } from '../kernel/describe-error.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { Job } from './job.ts';
import type { LeaseTimes } from './lease.ts';
import { type LeaseTools, runLeased, type Taken } from './leased-run.ts';
import { measureRun } from './measure-run.ts';
import { type Announcer, beginListening, type ListenTimes } from './notifications.ts';
import { resumeOwn, sweepOverdue } from './orphans.ts';
import { beginPolling, type PollTimes } from './poll.ts';
import { findWaiting } from './queries.ts';
import { beginRunners, type Runners } from './runners.ts';
import { followStepBack } from './step-back.ts';

export type WorkTools = {
  boss: PgBoss;
  url: string;
  /** Of the queue's own, so that no renewal waits behind the work itself. */
  db: Database;
  log: Log;
  metrics: Metrics;
  workerId: string;
  ourselves: string;
  announce: Announcer['announce'];
  times: LeaseTimes;
  pollTimes: PollTimes;
  listenTimes: ListenTimes;
};

export type Work = {
  /** There is a new job of that name: looks for it now. */
  wake(name: string): void;
  /** There is one that is due later: a timer is set for it. */
  lookSoon(): void;
  /** Long jobs stop where they stand, and go on elsewhere. */
  interrupt(): void;
  close(): Promise<void>;
};

/** A schedule is late by no more than this after the database's clock was set back. */
const followEveryMs = 15_000;

export const beginWork = async (tools: WorkTools, jobs: readonly Job[]): Promise<Work> => {
  const { url, db, log, ourselves } = tools;
  const stopping = new AbortController();
  const crews = new Map<string, Runners>();
  const wake = (name: string) => {
    if (!stopping.signal.aborted) crews.get(name)?.wake();
  };
  let lookSoon = (): void => undefined;
  const leases: LeaseTools = {
    ...tools,
    stopping: stopping.signal,
    onQueued(queue, isLater) {
      lookSoon();
      tools.announce(queue, isLater);
    },
  };
  const queues = jobs.filter((job) => job.subjectOf).map(({ name }) => name);
  const sweep = () => beginSweeping(leases, queues, () => lookSoon());
  const stopSweeping = queues.length > 0 ? await sweep() : () => undefined;
  for (const job of jobs) crews.set(job.name, await beginJob(leases, job));

  const listening = beginListening({
    ...{ url, db, log, ourselves, times: tools.listenTimes },
    onDue: wake,
    onUnknown: () => lookSoon(),
  });
  const names = jobs.map(({ name }) => name);
  const polling = beginPolling({
    ...{ wake, log, times: tools.pollTimes, isNotified: listening.isAlive },
    ask: () => findWaiting(db, names),
  });
  lookSoon = polling.lookSoon;
  const following = setInterval(() => {
    followStepBack(db, log).catch((err) => log.warn({ err }, 'the clock could not be looked at'));
  }, followEveryMs);
  return {
    wake,
    lookSoon,
    interrupt() {
      stopSweeping();
      polling.stop();
      clearInterval(following);
      stopping.abort(new Error('The worker stops'));
    },
    close: () => listening.stop(),
  };
};

/** Before this life's first job: until then, a lease in this worker's name is of a previous one. */
const beginSweeping = async (
  leases: LeaseTools,
  queues: string[],
  onFound: () => void,
): Promise<() => void> => {
  const { log, workerId, times } = leases;
  const resumed = await resumeOwn(leases, workerId, queues);
  if (resumed > 0) log.info({ resumed, workerId }, 'long jobs of a previous life are taken up');
  const sweep = async () => {
    const found = await sweepOverdue(leases, queues);
    if (found === 0) return;
    log.warn({ found }, 'long jobs whose worker is silent are taken up');
    onFound();
  };
  const sweeping = setInterval(() => {
    sweep().catch((err) => log.warn({ err }, 'the sweep for leases that ran out failed'));
  }, times.sweepMs);
  return () => clearInterval(sweeping);
};

/** The queue writes a failure down after the run has ended; polling finds what takes longer. */
const retryKnownMs = 100;

const beginJob = async (leases: LeaseTools, job: Job): Promise<Runners> => {
  const { boss, log } = leases;
  if (job.cron) await boss.schedule(job.name, job.cron, {});
  // Not merged with another start's: that one may be done already, with an older key ring.
  if (job.runsAtStart) await boss.send(job.name, {});
  const options = {
    heartbeatRefreshSeconds: 5,
    ...(job.groupConcurrency && { groupConcurrency: job.groupConcurrency }),
  };
  const onError = (err: unknown) => log.warn({ err, job: job.name }, 'a runner could not begin');
  const crew = { boss, queue: job.name, count: job.concurrency ?? 1, options, onError };
  return beginRunners(crew, (taken) => runCopy(leases, job, taken));
};

const runCopy = async (leases: LeaseTools, job: Job, taken: Taken): Promise<void> => {
  try {
    if (job.subjectOf) return await runLeased(leases, job, taken);
    const payload = job.payload.parse(taken.data);
    await measureRun(leases.metrics, job, () => job.run(payload, taken.signal));
  } catch (err) {
    const about = { err, job: job.name, jobId: taken.id };
    leases.log.error(about, 'job failed; it will be tried again');
    // Once the queue knows when that is.
    setTimeout(() => leases.onQueued(job.name, true), retryKnownMs);
    throw withoutValues(err);
  }
};

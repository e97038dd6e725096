import type { PgBoss } from 'pg-boss';
import type { Database } from '../../db/connect.ts';
import type { ListenTimes } from '../../db/notify/listen.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { isTracing } from '../../kernel/tracing.ts';
import type { Job } from '../job.ts';
import type { LeaseTimes } from '../lease/lease.ts';
import type { LeasedRunDependencies } from '../lease/leased-run.ts';
import { requeueExpired, requeueOfWorker } from '../lease/orphans.ts';
import { findDue } from '../queries.ts';
import { traceRun } from '../trace-job.ts';
import { followClockStepBack } from './clock-step.ts';
import { createRunsUnderWay, startGivingWay } from './give-way.ts';
import { type Announcer, listenForJobs } from './notifications.ts';
import { type PollTimes, startPolling } from './poll.ts';
import { runClaimed } from './run-claimed.ts';
import { type Runners, startRunners } from './runners.ts';
import { runnersOf, shareOf } from './share.ts';
import { retrySilentJobs } from './silent-jobs.ts';

type WorkDependencies = {
  boss: PgBoss;
  /** Where notifications are heard. */
  directUrl: string;
  /** The queue's own connections, so that a renewal never waits for those of the jobs. */
  db: Database;
  log: Log;
  metrics: Metrics;
  workerId: string;
  senderId: string;
  announce: Announcer['announce'];
  times: LeaseTimes;
  pollTimes: PollTimes;
  listenTimes: ListenTimes;
  /** The database has just answered. */
  onAnswer?: (() => void) | undefined;
};

export type Work = {
  /** A job of that name was queued: a runner fetches it now. */
  wake(name: string): void;
  /** A job was queued that is due later: a timer is set for it. */
  pollSoon(): void;
  /** Stops the long jobs, which continue on another worker. */
  interrupt(): void;
  close(): Promise<void>;
};

/** The longest delay of a schedule after the database's clock was set back. */
const checkClockEveryMs = 15_000;

export const startWork = async (
  dependencies: WorkDependencies,
  jobs: readonly Job[],
): Promise<Work> => {
  const { directUrl, db, log, senderId } = dependencies;
  const stopping = new AbortController();
  const runners = new Map<string, Runners>();
  const wake = (name: string) => {
    if (!stopping.signal.aborted) runners.get(name)?.wake();
  };
  let pollSoon = (): void => undefined;
  const leasing: LeasedRunDependencies = {
    ...dependencies,
    stopping: stopping.signal,
    runs: createRunsUnderWay(),
    onQueued(queue, isLater) {
      pollSoon();
      dependencies.announce(queue, isLater);
    },
  };
  const leased = jobs.filter((job) => job.subjectOf).map(({ name }) => name);
  if (leased.length > 0) await resumeOwn(leasing, leased);
  for (const job of jobs) runners.set(job.name, await startJob(leasing, job));

  const listening = listenForJobs({
    ...{ url: directUrl, db, log, senderId, times: dependencies.listenTimes },
    onDue: wake,
    onUnknown: () => pollSoon(),
  });
  const names = jobs.map(({ name }) => name);
  const polling = startPolling({
    ...{ wake, log, times: dependencies.pollTimes, isNotified: listening.isAlive },
    async findWaiting() {
      const { waiting, haveLeasesExpired } = await findDue(db, names);
      dependencies.onAnswer?.();
      if (haveLeasesExpired) await requeueOrphans(leasing, leased, () => pollSoon());
      return waiting;
    },
  });
  pollSoon = polling.pollSoon;
  const givingWay = startGivingWay(
    { ...{ db, log, runs: leasing.runs }, afterMs: dependencies.times.givesWayAfterMs },
    jobs,
  );
  const silent = retrySilentJobs({ ...dependencies, everyMs: dependencies.pollTimes.silentMs });
  const checkingClock = setInterval(() => {
    followClockStepBack(db, log).catch((err) =>
      log.warn({ err }, 'the clock of the database could not be checked'),
    );
  }, checkClockEveryMs);
  return {
    wake,
    pollSoon,
    interrupt() {
      polling.stop();
      silent.stop();
      givingWay.stop();
      clearInterval(checkingClock);
      stopping.abort(new Error('The worker stops'));
    },
    close: () => listening.stop(),
  };
};

/** Before the first job: until then, a lease of this worker's id is of its previous process. */
const resumeOwn = async (dependencies: LeasedRunDependencies, queues: string[]): Promise<void> => {
  const { log, workerId } = dependencies;
  const resumed = await requeueOfWorker(dependencies, workerId, queues);
  if (resumed > 0) log.info({ resumed, workerId }, 'long jobs of the previous process continue');
};

/** A failure delays no job that is due: the next poll tries again. */
const requeueOrphans = async (
  dependencies: LeasedRunDependencies,
  queues: string[],
  onFound: () => void,
): Promise<void> => {
  const { log } = dependencies;
  try {
    const found = await requeueExpired(dependencies, queues);
    if (found === 0) return;
    log.warn({ found }, 'long jobs whose worker no longer renews its lease were queued again');
    onFound();
  } catch (err) {
    log.warn({ err }, 'long jobs of expired leases could not be queued again');
  }
};

const startJob = async (dependencies: LeasedRunDependencies, job: Job): Promise<Runners> => {
  const { boss, log } = dependencies;
  if (job.cron) await boss.schedule(job.name, job.cron, {});
  // Not merged with another process's entry: that one may have run already, with an older key ring.
  if (job.runsAtStart) await boss.send(job.name, {});
  const workOptions = {
    heartbeatRefreshSeconds: 5,
    // Which attempt it is, and since when it waits: only traces tell.
    includeMetadata: isTracing(),
    ...(job.groupOf && { groupConcurrency: shareOf(job) }),
  };
  const onError = (err: unknown) => log.warn({ err, job: job.name }, 'a runner could not start');
  const options = { boss, queue: job.name, count: runnersOf(job), workOptions, onError };
  return startRunners(options, (claimed) =>
    traceRun(job.name, claimed, () => runClaimed(dependencies, job, claimed)),
  );
};

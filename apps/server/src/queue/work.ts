import type { PgBoss } from 'pg-boss';
import { closeDatabase, connectDatabase } from '../db/connect.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { Job } from './job.ts';
import type { LeaseTimes } from './lease.ts';
import { type LeaseTools, runLeased, type Taken } from './leased-run.ts';
import { measureRun } from './measure-run.ts';
import { resumeOwn, sweepOverdue } from './orphans.ts';
import { beginRunners, type Runners } from './runners.ts';

export type WorkTools = {
  boss: PgBoss;
  url: string;
  log: Log;
  metrics: Metrics;
  workerId: string;
  times: LeaseTimes;
};

export type Work = {
  /** There is a new job of that name: looks for it now. */
  wake(name: string): void;
  /** Long jobs stop where they stand, and go on elsewhere. */
  interrupt(): void;
  close(): Promise<void>;
};

export const beginWork = async (tools: WorkTools, jobs: readonly Job[]): Promise<Work> => {
  // Of its own, so that no renewal waits behind the work itself.
  const db = connectDatabase(tools.url, { name: 'holdfast-leases', poolSize: 2 });
  const stopping = new AbortController();
  const leases: LeaseTools = { ...tools, db, stopping: stopping.signal };
  const queues = jobs.filter((job) => job.subjectOf).map(({ name }) => name);
  const stopSweeping = queues.length > 0 ? await beginSweeping(leases, queues) : () => undefined;
  const crews = new Map<string, Runners>();
  for (const job of jobs) crews.set(job.name, await beginJob(leases, job));
  return {
    wake: (name) => crews.get(name)?.wake(),
    interrupt() {
      stopSweeping();
      for (const crew of crews.values()) crew.rest();
      stopping.abort(new Error('The worker stops'));
    },
    close: () => closeDatabase(db),
  };
};

/** Before this life's first job: until then, a lease in this worker's name is of a previous one. */
const beginSweeping = async (leases: LeaseTools, queues: string[]): Promise<() => void> => {
  const { log, workerId, times } = leases;
  const resumed = await resumeOwn(leases, workerId, queues);
  if (resumed > 0) log.info({ resumed, workerId }, 'long jobs of a previous life are taken up');
  const sweep = async () => {
    const found = await sweepOverdue(leases, queues);
    if (found > 0) log.warn({ found }, 'long jobs whose worker is silent are taken up');
  };
  const sweeping = setInterval(() => {
    sweep().catch((err) => log.warn({ err }, 'the sweep for leases that ran out failed'));
  }, times.sweepMs);
  return () => clearInterval(sweeping);
};

const beginJob = async (leases: LeaseTools, job: Job): Promise<Runners> => {
  const { boss } = leases;
  if (job.cron) await boss.schedule(job.name, job.cron, {});
  // Not merged with another start's: that one may be done already, with an older key ring.
  if (job.runsAtStart) await boss.send(job.name, {});
  const options = {
    heartbeatRefreshSeconds: 5,
    ...(job.groupConcurrency && { groupConcurrency: job.groupConcurrency }),
  };
  const crew = { boss, queue: job.name, count: job.concurrency ?? 1, options };
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
    throw err;
  }
};

import type { PgBoss } from 'pg-boss';
import type { Database } from '../../db/connect.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { inGroup, type LeasedJob } from '../job.ts';
import { acquireLease, deleteLease } from '../queries.ts';
import type { RunsUnderWay } from '../worker/give-way.ts';
import { type HeldLease, keepLease, type LeaseTimes, startStopwatch } from './lease.ts';
import { requeueInterrupted, startedJobPriority, usualPriority } from './orphans.ts';

export type LeasedRunDependencies = {
  boss: PgBoss;
  db: Database;
  log: Log;
  workerId: string;
  times: LeaseTimes;
  metrics: Metrics;
  /** Aborted when the worker stops: its long jobs continue on another. */
  stopping: AbortSignal;
  /** Called when a job was queued, to start now or later. */
  onQueued(queue: string, isLater: boolean): void;
  runs: RunsUnderWay;
};

/** An entry of the queue that this worker has claimed. */
export type ClaimedJob = {
  id: string;
  data: object;
  signal: AbortSignal;
  groupId?: string | null;
};

/**
 * Runs one queue entry of a leased job. How it ends:
 *
 * - The run returned or failed: the lease is deleted. The queue retries a failed one, with its back-off,
 *   on any worker.
 * - The run was interrupted (the lease or the queue's claim was lost, the worker stops, others wait): if this run
 *   still has the lease, a new entry is queued and the lease left to its worker; otherwise the
 *   worker that took over continues.
 * - Another worker holds the lease, or works at the job's place: a second entry follows a few seconds
 *   later. To end without one could lose the job: the queue may have delivered, as a retry, the very
 *   entry that the holder started with, and a holder that then fails would have no entry left to retry.
 * - The worker dies: the lease expires, and the next sweep of any worker queues a new entry.
 */
export const runLeased = async (
  dependencies: LeasedRunDependencies,
  job: LeasedJob,
  claimed: ClaimedJob,
): Promise<void> => {
  const { db, log, metrics, onQueued } = dependencies;
  const payload = job.payload.parse(claimed.data);
  const subject = job.subjectOf(payload);
  const place = job.placeOf?.(payload);
  const givingWay = new AbortController();
  const entry = { job, subject, claimed };
  const lease = await acquire(dependencies, { ...entry, place, givesWay: givingWay.signal });
  if (!lease) return queueSecondEntry(dependencies, entry);
  const endRun = dependencies.runs.add(job.name, () =>
    givingWay.abort(new Error('Others wait for the runner')),
  );
  try {
    const run = () => job.run(payload, lease.signal, lease);
    await metrics.timeJob(job.name, run, () => lease.signal.aborted);
  } catch (err) {
    if (!lease.signal.aborted) throw err;
    log.info({ err, job: job.name, subject }, 'a long job was interrupted; it will continue');
  } finally {
    lease.stopRenewing();
    endRun();
    const priority = givingWay.signal.aborted ? usualPriority : startedJobPriority;
    // Also after a run that returned normally: only its own records show whether it was complete.
    if (!lease.signal.aborted) await deleteLease(db, lease);
    else if ((await requeueInterrupted(dependencies, lease, priority)) > 0)
      onQueued(job.name, false);
  }
};

type Entry = { job: LeasedJob; subject: string; claimed: ClaimedJob };
type ToAcquire = Entry & { place: string | undefined; givesWay: AbortSignal };

const acquire = async (
  dependencies: LeasedRunDependencies,
  { job, subject, place, claimed, givesWay }: ToAcquire,
): Promise<HeldLease | undefined> => {
  const { db, times, workerId, stopping } = dependencies;
  // Before the statement: the database counts from when it runs.
  const age = startStopwatch();
  const holder = {
    ...{ subject, place, workerId, jobId: claimed.id },
    ...{ queue: job.name, payload: claimed.data, groupId: claimed.groupId ?? null },
  };
  const fence = await db.transaction((tx) => acquireLease(tx, holder, times.leaseMs));
  if (fence === undefined) return undefined;
  const stopSignals = [claimed.signal, stopping, givesWay];
  return keepLease(dependencies, { subject, fence, age }, stopSignals);
};

/** Two of them within the same seconds become one that has not started yet, so none gets lost. */
const queueSecondEntry = async (
  { boss, times, onQueued }: LeasedRunDependencies,
  { job, subject, claimed }: Entry,
): Promise<void> => {
  await boss.send(job.name, claimed.data, {
    startAfter: times.retryHeldSeconds,
    singletonKey: subject,
    singletonSeconds: times.retryHeldSeconds,
    priority: startedJobPriority,
    ...inGroup(claimed.groupId),
  });
  onQueued(job.name, true);
};

import type { PgBoss } from 'pg-boss';
import type { Database } from '../db/connect.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { LeasedJob } from './job.ts';
import { type HeldLease, keepLease, type LeaseTimes, startStopwatch } from './lease.ts';
import { measureRun } from './measure-run.ts';
import { handOverOwn, priorityOfBegun } from './orphans.ts';
import { endLease, takeLease } from './queries.ts';

export type LeaseTools = {
  boss: PgBoss;
  db: Database;
  log: Log;
  workerId: string;
  times: LeaseTimes;
  metrics: Metrics;
  /** Aborted when the worker stops: its long jobs go on elsewhere. */
  stopping: AbortSignal;
  /** A copy was queued, for later or for whoever comes first. */
  onQueued(queue: string, isLater: boolean): void;
};

export type Taken = { id: string; data: object; signal: AbortSignal; groupId?: string | null };

/**
 * How a copy of a leased job ends:
 *
 * - The run is through, or it failed: the lease is deleted. A failed one is tried again by the queue,
 *   with its back-off, here or elsewhere.
 * - It was interrupted (the lease or the queue's own claim was lost, the worker stops): whoever holds
 *   the lease goes on. If that is still this run, a fresh copy is made, and the lease left to it.
 * - Another holds the lease, or another worker is at the job's place: a second copy follows a few
 *   seconds later. To end without one could lose the job: the queue may have handed over, as a retry,
 *   the very entry that the holder began with, and a holder that then fails has nothing left that the
 *   queue would try again.
 * - Its worker dies: the lease runs out, and the next sweep of any worker makes a fresh copy.
 */
export const runLeased = async (tools: LeaseTools, job: LeasedJob, taken: Taken): Promise<void> => {
  const payload = job.payload.parse(taken.data);
  const subject = job.subjectOf(payload);
  const place = job.placeOf?.(payload);
  const lease = await acquire(tools, { job, subject, place, taken });
  if (!lease) return sendSecondCopy(tools, { job, subject, place, taken });
  try {
    await measureRun(tools.metrics, job, () => job.run(payload, lease.signal, lease));
  } catch (err) {
    if (!lease.signal.aborted) throw err;
    tools.log.info({ err, job: job.name, subject }, 'a long job was interrupted; it will go on');
  } finally {
    lease.letGo();
    // Also after a run that came back in silence: whether it was through, only its records know.
    if (lease.signal.aborted) await handOver(tools, job, lease);
    else await endLease(tools.db, lease);
  }
};

const handOver = async (tools: LeaseTools, job: LeasedJob, lease: HeldLease): Promise<void> => {
  if ((await handOverOwn(tools, lease)) > 0) tools.onQueued(job.name, false);
};

type Copy = { job: LeasedJob; subject: string; place: string | undefined; taken: Taken };

const acquire = async (
  tools: LeaseTools,
  { job, subject, place, taken }: Copy,
): Promise<HeldLease | undefined> => {
  const { db, times, workerId } = tools;
  // Before the question: the database counts from when it answers.
  const age = startStopwatch();
  const holder = {
    ...{ subject, place, workerId, jobId: taken.id },
    ...{ queue: job.name, payload: taken.data, groupId: taken.groupId ?? null },
  };
  const fence = await db.transaction((tx) => takeLease(tx, holder, times.leaseMs));
  if (fence === undefined) return undefined;
  return keepLease(tools, { subject, fence, age }, [taken.signal, tools.stopping]);
};

/** Two of them in the same few seconds become one, which has not begun then: none gets lost. */
const sendSecondCopy = async (
  { boss, times, onQueued }: LeaseTools,
  { job, subject, taken }: Copy,
): Promise<void> => {
  await boss.send(job.name, taken.data, {
    startAfter: times.secondCopySeconds,
    singletonKey: subject,
    singletonSeconds: times.secondCopySeconds,
    priority: priorityOfBegun,
    ...(taken.groupId && { group: { id: taken.groupId } }),
  });
  onQueued(job.name, true);
};

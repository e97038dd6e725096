import { sql } from 'drizzle-orm';
import { fromDrizzle, type PgBoss } from 'pg-boss';
import type { Database, Transaction } from '../../db/connect.ts';
import { newId } from '../../kernel/ids.ts';
import { inGroup } from '../job.ts';
import {
  lockExpiredLeases,
  lockLeasesOfWorker,
  lockOwnLease,
  type OrphanedLease,
  releaseToAnyWorker,
} from '../queries.ts';

type OrphanDependencies = { boss: PgBoss; db: Database };

/** A started job continues before a new one starts, unless it was interrupted for that one. */
export const startedJobPriority = 1;
export const usualPriority = 0;

/** Longer than an entry waits in the queue; were one lost even so, the next sweep queues another. */
const longestWaitMs = 10 * 60 * 1000;

/** Queues the jobs of leases whose holder stopped renewing them; returns how many. */
export const requeueExpired = ({ boss, db }: OrphanDependencies, queues: string[]) =>
  db.transaction(async (tx) => requeue(boss, tx, await lockExpiredLeases(tx, queues)));

/** Queues the jobs that a worker of this id ran in its previous process. */
export const requeueOfWorker = (
  { boss, db }: OrphanDependencies,
  workerId: string,
  queues: string[],
) =>
  db.transaction(async (tx) => requeue(boss, tx, await lockLeasesOfWorker(tx, workerId, queues)));

/** Queues the job of an interrupted run; 0 when another worker has taken it over already. */
export const requeueInterrupted = (
  { boss, db }: OrphanDependencies,
  holding: { subject: string; fence: number },
  priority: number,
) => db.transaction(async (tx) => requeue(boss, tx, await lockOwnLease(tx, holding), priority));

/**
 * A new entry replaces the old one, which would be retried only after its missed heartbeat and its
 * back-off, and would count against the limit of its group until then.
 */
const requeue = async (
  boss: PgBoss,
  tx: Transaction,
  leases: OrphanedLease[],
  priority = startedJobPriority,
): Promise<number> => {
  for (const { subject, queue, payload, groupId, jobId: oldJobId } of leases) {
    const inTx = { db: fromDrizzle(tx, sql) };
    const jobId = newId();
    await boss.cancel(queue, oldJobId, inTx);
    await boss.send(queue, payload, {
      ...inTx,
      id: jobId,
      priority,
      ...inGroup(groupId),
    });
    await releaseToAnyWorker(tx, { subject, jobId }, longestWaitMs);
  }
  return leases.length;
};

import { sql } from 'drizzle-orm';
import { fromDrizzle, type PgBoss } from 'pg-boss';
import type { Database, Transaction } from '../db/connect.ts';
import { newId } from '../kernel/ids.ts';
import { leaveToAnyone, lockLeasesOf, lockOverdue, lockOwnLease } from './queries.ts';

type Tools = { boss: PgBoss; db: Database };
type Orphan = Awaited<ReturnType<typeof lockOverdue>>[number];

/** What was begun goes on before anything new begins. */
export const priorityOfBegun = 1;

/** Longer than any copy waits for its turn; were one lost even so, the next sweep makes another. */
const longestTurnMs = 10 * 60 * 1000;

/** Leases whose holder has not renewed them: their jobs are for whoever comes first. */
export const sweepOverdue = ({ boss, db }: Tools, queues: string[]): Promise<number> =>
  db.transaction(async (tx) => handOverAll(boss, tx, await lockOverdue(tx, queues)));

/** What this worker was at in a previous life. */
export const resumeOwn = ({ boss, db }: Tools, workerId: string, queues: string[]) =>
  db.transaction(async (tx) => handOverAll(boss, tx, await lockLeasesOf(tx, workerId, queues)));

/** A run that was interrupted; nothing to do when another has it already. */
export const handOverOwn = ({ boss, db }: Tools, holding: { subject: string; fence: number }) =>
  db.transaction(async (tx) => handOverAll(boss, tx, await lockOwnLease(tx, holding)));

const handOverAll = async (boss: PgBoss, tx: Transaction, orphans: Orphan[]): Promise<number> => {
  for (const orphan of orphans) await handOver(boss, tx, orphan);
  return orphans.length;
};

/**
 * A fresh copy takes the place of the old one, which would come back only after its heartbeat is
 * missed and its back-off is over, and until then would count against the limit of its group.
 */
const handOver = async (boss: PgBoss, tx: Transaction, orphan: Orphan): Promise<void> => {
  const { subject, queue, payload, groupId } = orphan;
  const inTx = { db: fromDrizzle(tx, sql) };
  const jobId = newId();
  await boss.cancel(queue, orphan.jobId, inTx);
  await boss.send(queue, payload, {
    ...inTx,
    id: jobId,
    priority: priorityOfBegun,
    ...(groupId !== null && { group: { id: groupId } }),
  });
  await leaveToAnyone(tx, { subject, jobId }, longestTurnMs);
};

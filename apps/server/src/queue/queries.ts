import { and, eq, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Queryable, Transaction } from '../db/connect.ts';
import { preparedStep } from '../db/prepared-step.ts';
import type { Waiting } from './poll.ts';
import { jobLeases } from './table.ts';

type Holding = { subject: string; fence: number };
type Orphan = Omit<typeof jobLeases.$inferSelect, 'until' | 'workerId' | 'fence' | 'place'>;
type NewHolder = Orphan & { workerId: string; place?: string | undefined };

/** `now()` stands still in a transaction, also in one whose process was stopped in between. */
const clock = sql`clock_timestamp()`;
const inMs = (ms: number) => sql`${clock} + make_interval(secs => ${ms / 1000}::float8)`;
const nextFence = sql`nextval('job_lease_fences')`;
const heldAs = ({ subject, fence }: Holding) =>
  and(eq(jobLeases.subject, subject), eq(jobLeases.fence, fence));

/**
 * The fence of the new holder; undefined while another holds it, or another worker is at its place.
 * Waits for whoever is committing under the old fence at this moment (`lockLease`).
 */
export const takeLease = async (
  tx: Transaction,
  holder: NewHolder,
  leaseMs: number,
): Promise<number | undefined> => {
  if (await isPlaceTaken(tx, holder)) return undefined;
  const taken = { ...holder, fence: nextFence, until: inMs(leaseMs) };
  const ofSubject = eq(jobLeases.subject, holder.subject);
  await tx.select({ subject: jobLeases.subject }).from(jobLeases).where(ofSubject).for('update');
  const [lease] = await tx
    .insert(jobLeases)
    .values(taken)
    .onConflictDoUpdate({
      target: jobLeases.subject,
      set: taken,
      setWhere: or(isNull(jobLeases.workerId), lt(jobLeases.until, clock)),
    })
    .returning({ fence: jobLeases.fence });
  return lease?.fence;
};

/** Asked one after the other for each place: of two workers who come at once, one sees the other. */
const isPlaceTaken = async (tx: Transaction, { place, workerId }: NewHolder): Promise<boolean> => {
  if (place === undefined) return false;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`place ${place}`}, 0))`);
  const others = await tx
    .select({ subject: jobLeases.subject })
    .from(jobLeases)
    .where(
      and(
        eq(jobLeases.place, place),
        ne(jobLeases.workerId, workerId),
        sql`${jobLeases.until} > ${clock}`,
      ),
    )
    .limit(1);
  return others.length > 0;
};

/** False when it is another's by now. */
export const renewLease = async (
  db: Queryable,
  holding: Holding,
  leaseMs: number,
): Promise<boolean> => {
  const renewed = await db
    .update(jobLeases)
    .set({ until: inMs(leaseMs) })
    .where(heldAs(holding))
    .returning({ subject: jobLeases.subject });
  return renewed.length > 0;
};

/**
 * Keeps the lease from being taken until the transaction ends; false when it is over already. It is
 * the weakest lock that does: a renewal need not wait for it, however many transactions overlap. A
 * process that is stopped in the transaction loses it after `idleMs`, and with it the lock.
 */
export const lockLease = async (
  tx: Transaction,
  holding: Holding,
  idleMs: number,
): Promise<boolean> => {
  const locked = await lock(tx, { ...holding, idleMs: String(idleMs) });
  return locked.length > 0;
};

const lock = preparedStep<{ idle: string }>(['idle'], (tx) =>
  tx
    .select({
      idle: sql<string>`set_config('idle_in_transaction_session_timeout', ${sql.placeholder('idleMs')}, true)`,
    })
    .from(jobLeases)
    .where(
      and(
        eq(jobLeases.subject, sql.placeholder('subject')),
        eq(jobLeases.fence, sql.placeholder('fence')),
        sql`${jobLeases.until} > ${clock}`,
      ),
    )
    .for('key share'),
);

export const endLease = async (db: Queryable, holding: Holding): Promise<void> => {
  await db.delete(jobLeases).where(heldAs(holding));
};

const { subject, queue, payload, groupId, jobId } = jobLeases;
const orphanColumns = { subject, queue, payload, groupId, jobId };
const orphansAtOnce = 100;

/** Those that ran out. One that is locked is just being taken up, or given up, by another. */
export const lockOverdue = (tx: Transaction, queues: string[]): Promise<Orphan[]> =>
  tx
    .select(orphanColumns)
    .from(jobLeases)
    .where(and(lt(jobLeases.until, clock), inArray(queue, queues)))
    .limit(orphansAtOnce)
    .for('update', { skipLocked: true });

/** Those that a worker of this name holds. */
export const lockLeasesOf = (
  tx: Transaction,
  workerId: string,
  queues: string[],
): Promise<Orphan[]> =>
  tx
    .select(orphanColumns)
    .from(jobLeases)
    .where(and(eq(jobLeases.workerId, workerId), inArray(queue, queues)))
    .for('update');

export const lockOwnLease = (tx: Transaction, holding: Holding): Promise<Orphan[]> =>
  tx.select(orphanColumns).from(jobLeases).where(heldAs(holding)).for('update');

/** From now on its last holder can neither renew it nor commit anything under it. */
export const leaveToAnyone = async (
  tx: Transaction,
  orphan: { subject: string; jobId: string },
  withinMs: number,
): Promise<void> => {
  await tx
    .update(jobLeases)
    .set({ workerId: null, jobId: orphan.jobId, fence: nextFence, until: inMs(withinMs) })
    .where(eq(subject, orphan.subject));
};

/**
 * Of each queue in which jobs wait: in how many milliseconds its next one is due, 0 for those that are.
 * The index by which jobs are taken answers both questions; the second, which reads all that wait, is
 * asked only where nothing is due.
 */
export const findWaiting = async (db: Queryable, queues: string[]): Promise<Waiting[]> => {
  const waits = sql`job.name = asked.name and job.state < 'active' and not job.blocked`;
  const rows = await db.execute(sql`
    select name, due_in_ms from (
      select asked.name, case
        when exists (select from pgboss.job job where ${waits} and job.start_after <= now()) then 0
        else (select extract(epoch from min(job.start_after) - now()) * 1000
              from pgboss.job job where ${waits})
        end::float8 as due_in_ms
      from unnest(string_to_array(${queues.join(' ')}, ' ')) as asked (name)
    ) answer where due_in_ms is not null`);
  return rows.map((row) => waitingRow.parse(row));
};

const waitingRow = z
  .object({ name: z.string(), due_in_ms: z.number() })
  .transform(({ name, due_in_ms }): Waiting => ({ name, dueInMs: Math.ceil(due_in_ms) }));

/** Whether work of that name is queued or under way for an account that its payload names. */
export const isQueuedFor = async (db: Queryable, name: string, accountId: string) => {
  const [row] = await db.execute(sql`
    select exists (
      select from pgboss.job job
      where job.name = ${name} and job.state < 'completed' and job.data ->> 'accountId' = ${accountId}
    ) as found`);
  return row?.found === true;
};

/** Its commit is not waited for on the disk: a notification does not outlive a crash anyway. */
export const notify = (db: Queryable, channel: string, payload: string) =>
  db.execute(sql`
    select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${payload})`);

/** By how much the latest of the queue's own notes lies in the future: nothing, unless time went back. */
export const findStepBack = async (db: Queryable): Promise<number> => {
  const [row] = await db.execute(sql`
    select coalesce(extract(epoch from greatest(cron_on, bam_on) - clock_timestamp()) * 1000, 0)::float8
      as step_ms from pgboss.version`);
  return Number(row?.step_ms ?? 0);
};

/** Of several workers that notice, one follows; the others find it done. */
export const lockClaims = (tx: Transaction) =>
  tx.execute(sql`select from pgboss.version for update`);

/** Only what lies beyond the step is moved: what was noted since, and is due soon, is right as it is. */
export const takeStepBack = async (tx: Transaction, stepMs: number): Promise<void> => {
  const step = sql`make_interval(secs => ${stepMs / 1000}::float8)`;
  await tx.execute(sql`
    update pgboss.version set cron_on = least(cron_on, ${clock}), bam_on = least(bam_on, ${clock}),
      flow_on = least(flow_on, ${clock}), reindex_on = least(reindex_on, ${clock}),
      monitor_backoff_on = least(monitor_backoff_on, ${clock})`);
  await tx.execute(sql`
    update pgboss.queue set monitor_on = least(monitor_on, ${clock}),
      monitor_claim_on = least(monitor_claim_on, ${clock}),
      maintain_on = least(maintain_on, ${clock})`);
  await tx.execute(sql`
    update pgboss.job set start_after = start_after - ${step}
    where state < 'active' and start_after > ${clock} + ${step}`);
  await tx.execute(sql`
    update pgboss.job set started_on = least(started_on, ${clock}),
      heartbeat_on = least(heartbeat_on, ${clock})
    where state = 'active'`);
  // A minute that comes a second time has its turn a second time.
  await tx.execute(sql`
    update pgboss.job set singleton_on = null
    where singleton_on > ${clock} at time zone 'utc'`);
  await tx
    .update(jobLeases)
    .set({ until: sql`${jobLeases.until} - ${step}` })
    .where(sql`${jobLeases.until} > ${clock} + ${step}`);
};

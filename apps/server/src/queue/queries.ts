import { and, eq, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Queryable, Transaction } from '../db/connect.ts';
import { preparedStep } from '../db/prepared.ts';
import { hasRows } from '../db/queries/rows.ts';
import { newId } from '../kernel/ids.ts';
import { jobLeaseFences, jobLeases } from './table.ts';
import type { Due } from './worker/poll.ts';

type Holding = { subject: string; fence: number };
export type OrphanedLease = Omit<
  typeof jobLeases.$inferSelect,
  'until' | 'workerId' | 'fence' | 'place'
>;
type NewHolder = OrphanedLease & { workerId: string; place?: string | undefined };

/** `now()` is the start of the transaction, also when its process was suspended in between. */
const clock = sql`clock_timestamp()`;
const inMs = (ms: number) => sql`${clock} + make_interval(secs => ${ms / 1000}::float8)`;
const nextFence = sql.raw(`nextval('${jobLeaseFences.seqName}')`);
const heldAs = ({ subject, fence }: Holding) =>
  and(eq(jobLeases.subject, subject), eq(jobLeases.fence, fence));

/**
 * Returns the new fence; undefined while another worker holds the lease or works at its place. Waits
 * for a transaction that is committing under the old fence (`lockLease`).
 */
export const acquireLease = async (
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

/** Serialized per place by an advisory lock: of two workers that come at once, one sees the other. */
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

/** False when another worker has taken it over. */
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
 * Keeps the lease from being taken over until the transaction ends; false when it has expired. `for key
 * share` is the weakest lock that does so: renewals need not wait for it, however many transactions
 * overlap. A process that is suspended in the transaction loses it after `idleMs`, and with it the lock.
 */
export const lockLease = (tx: Transaction, holding: Holding, idleMs: number): Promise<boolean> =>
  hasRows(lock(tx, { ...holding, idleMs: String(idleMs) }));

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

export const deleteLease = async (db: Queryable, holding: Holding): Promise<void> => {
  await db.delete(jobLeases).where(heldAs(holding));
};

const { subject, queue, payload, groupId, jobId } = jobLeases;
const leaseColumns = { subject, queue, payload, groupId, jobId };
const mostExpired = 100;

/** Expired leases. One that is locked is just being taken over, or released, by another worker. */
export const lockExpiredLeases = (tx: Transaction, queues: string[]): Promise<OrphanedLease[]> =>
  tx
    .select(leaseColumns)
    .from(jobLeases)
    .where(and(lt(jobLeases.until, clock), inArray(queue, queues)))
    .limit(mostExpired)
    .for('update', { skipLocked: true });

export const lockLeasesOfWorker = (
  tx: Transaction,
  workerId: string,
  queues: string[],
): Promise<OrphanedLease[]> =>
  tx
    .select(leaseColumns)
    .from(jobLeases)
    .where(and(eq(jobLeases.workerId, workerId), inArray(queue, queues)))
    .for('update');

export const lockOwnLease = (tx: Transaction, holding: Holding): Promise<OrphanedLease[]> =>
  tx.select(leaseColumns).from(jobLeases).where(heldAs(holding)).for('update');

/** The new fence ends the last holder's right to renew it or to commit anything under it. */
export const releaseToAnyWorker = async (
  tx: Transaction,
  lease: { subject: string; jobId: string },
  withinMs: number,
): Promise<void> => {
  await tx
    .update(jobLeases)
    .set({ workerId: null, jobId: lease.jobId, fence: nextFence, until: inMs(withinMs) })
    .where(eq(subject, lease.subject));
};

/**
 * All that may be due, in one question. For each queue with waiting jobs: in how many milliseconds the next
 * one is due, 0 when one is now. Both subqueries use the index by which jobs are fetched; the second, which
 * reads all that wait, runs only where nothing is due.
 */
export const findDue = async (db: Queryable, queues: string[]): Promise<Due> => {
  const names = sql`string_to_array(${queues.join(' ')}, ' ')`;
  const waits = sql`job.name = asked.name and job.state < 'active' and not job.blocked`;
  const rows = await db.execute(sql`
    select leases.have_expired, answer.name, answer.due_in_ms
    from (
      select exists (
        select from ${jobLeases} where ${jobLeases.until} < ${clock} and ${queue} = any (${names})
      ) as have_expired
    ) leases
    left join (
      select asked.name, case
        when exists (select from pgboss.job job where ${waits} and job.start_after <= now()) then 0
        else (select extract(epoch from min(job.start_after) - now()) * 1000
              from pgboss.job job where ${waits})
        end::float8 as due_in_ms
      from unnest(${names}) as asked (name)
    ) answer on answer.due_in_ms is not null`);
  const found = rows.map((row) => dueRow.parse(row));
  return {
    haveLeasesExpired: found.some(({ have_expired }) => have_expired),
    waiting: found.flatMap(({ name, due_in_ms }) =>
      name === null || due_in_ms === null ? [] : [{ name, dueInMs: Math.ceil(due_in_ms) }],
    ),
  };
};

const dueRow = z.object({
  have_expired: z.boolean(),
  name: z.string().nullable(),
  due_in_ms: z.number().nullable(),
});

/**
 * Gives a job back to the queue, with its place in the order and its attempts. The new id keeps the worker from
 * ending it as its own. The longer it has waited, the more seldom it looks, so that thousands that wait for
 * one bucket do not look every second. False where its worker has lost it.
 */
export const putOffJob = (
  db: Queryable,
  { name, id }: { name: string; id: string },
  waitMs: number,
): Promise<boolean> =>
  hasRows(
    db.execute(sql`
      update pgboss.job set id = ${newId()}, state = 'created', started_on = null, heartbeat_on = null,
        start_after = now() + greatest(
          make_interval(secs => ${waitMs / 1000}::float8),
          least(now() - created_on, make_interval(mins => 20)) / 4)
      where name = ${name} and id = ${id} and state = 'active'
      returning id`),
  );

/** Above jobs that were started before. A job that is first already is not put there again. */
const firstPriority = 2;

/** Lets the oldest job of each group that has nothing running go first; returns how many there are. */
export const putFirst = async (db: Queryable, name: string, most: number): Promise<number> => {
  const moved = await db.execute(sql`
    update pgboss.job set priority = ${firstPriority}
    where name = ${name} and state < 'active' and id in (
      select id from (
        select distinct on (group_id) id, priority, created_on from pgboss.job
        where name = ${name} and state < 'active' and not blocked and start_after <= now()
          and group_id is not null and group_id not in (
            select group_id from pgboss.job
            where name = ${name} and state = 'active' and group_id is not null)
        order by group_id, priority desc, created_on
      ) oldest
      where priority < ${firstPriority}
      order by created_on limit ${most})
    returning id`);
  return moved.length;
};

/** Those with a job whose worker has missed its heartbeats. */
export const listSilentQueues = async (db: Queryable): Promise<string[]> => {
  const rows = await db.execute(sql`
    select distinct name from pgboss.job
    where state = 'active' and heartbeat_on + heartbeat_seconds * interval '1 second' < now()`);
  return rows.map(({ name }) => String(name));
};

/** Whether a job of that name is queued or running for an account that its payload names. */
export const isQueuedFor = async (db: Queryable, name: string, accountId: string) => {
  const [row] = await db.execute(sql`
    select exists (
      select from pgboss.job job
      where job.name = ${name} and job.state < 'completed' and job.data ->> 'accountId' = ${accountId}
    ) as found`);
  return row?.found === true;
};

/** How far the queue's own latest times lie in the future: 0 unless the clock was set back. */
export const readClockStepBackMs = async (db: Queryable): Promise<number> => {
  const [row] = await db.execute(sql`
    select coalesce(extract(epoch from greatest(cron_on, bam_on) - clock_timestamp()) * 1000, 0)::float8
      as step_ms from pgboss.version`);
  return Number(row?.step_ms ?? 0);
};

/** Of several workers that notice the step, one adjusts the times; the others find it done. */
export const lockQueueTimes = (tx: Transaction) =>
  tx.execute(sql`select from pgboss.version for update`);

/** Moves only times beyond the step: those written since then are right as they are. */
export const shiftQueueTimesBack = async (tx: Transaction, stepMs: number): Promise<void> => {
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
  // A minute that the clock shows a second time is scheduled a second time.
  await tx.execute(sql`
    update pgboss.job set singleton_on = null
    where singleton_on > ${clock} at time zone 'utc'`);
  await tx
    .update(jobLeases)
    .set({ until: sql`${jobLeases.until} - ${step}` })
    .where(sql`${jobLeases.until} > ${clock} + ${step}`);
};

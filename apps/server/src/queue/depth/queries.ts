import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Queryable } from '../../db/connect.ts';
import { jobLeases } from '../table.ts';

export type QueueDepth = {
  queues: z.output<typeof queueRow>[];
  leases: z.output<typeof leasesRow>;
  /** Null before the first worker started. */
  scheduleAgeSeconds: number | null;
};

const queueRow = z.object({
  name: z.string(),
  ready: z.number(),
  active: z.number(),
  failed: z.number(),
  oldestSeconds: z.number(),
});

const leasesRow = z.object({ held: z.number(), waiting: z.number(), expired: z.number() });

/** More are counted as so many: a longer queue must not make the question expensive. */
const mostCounted = 10_000;

export const readQueueDepth = async (db: Queryable, queues: string[]): Promise<QueueDepth> => {
  const rows = await db.execute(depthOf(queues));
  const [leases] = await db.execute(sql`
    select count(*) filter (where ${jobLeases.workerId} is null)::int as waiting,
      count(*) filter (where ${jobLeases.until} >= clock_timestamp()
        and ${jobLeases.workerId} is not null)::int as held,
      count(*) filter (where ${jobLeases.until} < clock_timestamp()
        and ${jobLeases.workerId} is not null)::int as expired
    from ${jobLeases}`);
  const [version] = await db.execute(
    sql`select extract(epoch from now() - cron_on)::float8 as age from pgboss.version`,
  );
  return {
    queues: rows.map((row) => queueRow.parse(row)),
    leases: leasesRow.parse(leases),
    scheduleAgeSeconds: z
      .number()
      .nullable()
      .parse(version?.age ?? null),
  };
};

/**
 * What is due is counted by the index by which jobs are fetched. What runs and what was given up has no
 * index: pg-boss counts it in its upkeep, once a minute.
 */
const depthOf = (queues: string[]) => sql`
  select queue.name, queue.active_count as active, queue.failed_count as failed, due.ready,
    due."oldestSeconds"
  from unnest(string_to_array(${queues.join(' ')}, ' ')) as asked (name)
  join pgboss.queue queue on queue.name = asked.name
  cross join lateral (
    select count(*)::int as ready,
      coalesce(extract(epoch from now() - min(job.start_after)), 0)::float8 as "oldestSeconds"
    from (
      select start_after from pgboss.job
      where name = queue.name and state < 'active' and not blocked and start_after <= now()
      order by priority desc, created_on limit ${mostCounted}
    ) job
  ) due`;

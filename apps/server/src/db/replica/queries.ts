import type { SQL } from 'bun';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../connect.ts';

/** How far a history was written: everything that anybody was told of is before it. */
export type Position = { lsn: string; timeline: number; system: string };

const positionShape = z.object({ lsn: z.string(), timeline: z.string(), system: z.string() });

/**
 * The insert position, not the flushed one: what was committed without waiting for the disk is seen by
 * others before it is flushed.
 */
export const readPosition = async (primary: Database): Promise<Position> => {
  const [row] = await primary.execute(sql`
    select pg_current_wal_insert_lsn()::text as lsn,
      left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline,
      (select system_identifier::text from pg_control_system()) as system`);
  const { lsn, timeline, system } = positionShape.parse(row);
  return { lsn, system, timeline: Number.parseInt(timeline, 16) };
};

const replayShape = z.object({
  isStandby: z.boolean(),
  hasAll: z.boolean().nullable(),
  timeline: z.number(),
  system: z.string(),
  lagBytes: z.coerce.number().nullable(),
  lagSeconds: z.number().nullable(),
});
export type Replay = z.output<typeof replayShape>;

/**
 * How a standby stands against that position. It shows the timeline it replays in three places, each of
 * which may be late but none early; the receiver's is visible to a role with `pg_read_all_stats` alone.
 * In a transaction the limits hold to its end, also behind a pooler.
 */
export const readReplay = async (
  standby: SQL,
  { lsn }: Position,
  statementTimeoutMs: number,
): Promise<Replay> => {
  const [row] = await standby`
    select pg_is_in_recovery() as "isStandby",
      pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as "hasAll",
      greatest((select timeline_id from pg_control_checkpoint()),
        (select min_recovery_end_timeline from pg_control_recovery()),
        (select max(received_tli) from pg_stat_wal_receiver)) as timeline,
      (select system_identifier::text from pg_control_system()) as system,
      greatest(0, ${lsn}::pg_lsn - pg_last_wal_replay_lsn())::float8 as "lagBytes",
      case when pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn then 0
        else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) end::float8
        as "lagSeconds",
      set_config('statement_timeout', ${String(statementTimeoutMs)}, true),
      set_config('max_parallel_workers_per_gather', '0', true)`;
  return replayShape.parse(row);
};

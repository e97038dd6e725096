import { expect } from 'bun:test';
import type { Database } from '../../../src/db/connect.ts';
import { eventually } from '../eventually.ts';

type Connection = Awaited<ReturnType<Database['$client']['reserve']>>;

type Meeting<Result> = {
  /** What `work` has to wait for. */
  lock(sql: Connection): Promise<unknown>;
  work(): Promise<Result>;
  /** How many statements of it wait at last; one, unless given. */
  waiting?: number;
  /** Done by the one it waits for, meanwhile. */
  change?(sql: Connection): Promise<unknown>;
};

/** Another transaction is in the way of `work`, changes something once it waits, and is committed. */
export const whileItWaits = async <Result>(
  { $client }: Database,
  { lock, work, waiting = 1, change }: Meeting<Result>,
): Promise<Result> => {
  const sql = await $client.reserve();
  let working: Promise<Result>;
  try {
    await sql`begin`;
    await lock(sql);
    working = work();
    await eventually(10_000, async () => {
      const found = await $client`select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`;
      expect(found.length).toBeGreaterThanOrEqual(waiting);
    });
    await change?.(sql);
  } finally {
    await sql`commit`;
    sql.release();
  }
  return working;
};

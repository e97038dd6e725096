import type { SQL } from 'bun';

/** One pull, by the times and counts in its own record. */
export type PullRun = {
  id: string;
  status: string;
  createdAt: Date;
  completedAt: Date | null;
  total: number;
  processed: number;
  joined: number;
};

/** Asked of the database: two hundred pulls that are followed by HTTP would be a load of their own. */
export const readPulls = (sql: SQL, ids: readonly string[]): Promise<PullRun[]> =>
  sql`
    select id, status, created_at as "createdAt", completed_at as "completedAt", total, processed,
      joined
    from pulls where id in ${sql(ids)}`;

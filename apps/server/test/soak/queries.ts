import type { SQL } from 'bun';

/** Connections to the service's database, by the name each process gives itself. */
export const countConnections = async (sql: SQL): Promise<number> => {
  const [row] = await sql`
    select count(*)::int as connections from pg_stat_activity
    where datname = current_database() and application_name like 'holdfast%'
      and application_name <> 'holdfast-soak'`;
  return row.connections;
};

export type TableSize = { name: string; rows: number; bytes: number };

/** Counted, since a crash resets the statistics. */
export const readTableSizes = async (sql: SQL): Promise<TableSize[]> => {
  const tables: { name: string; bytes: number }[] = await sql`
    select c.oid::regclass::text as name, pg_total_relation_size(c.oid)::float8 as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
    order by 1`;
  const sizes: TableSize[] = [];
  for (const { name, bytes } of tables) {
    const [{ rows }] = await sql.unsafe(`select count(*)::int as rows from ${name}`);
    sizes.push({ name, rows, bytes });
  }
  return sizes;
};

/** Jobs that wait, run or failed, by queue and state. */
export const listOpenJobs = async (sql: SQL): Promise<{ what: string; jobs: number }[]> => sql`
  select name || ' ' || state as what, count(*)::int as jobs from pgboss.job
  where state in ('created', 'retry', 'active', 'failed') and start_after < now() group by 1 order by 1`;

export const countBillingEvents = async (sql: SQL): Promise<number> => {
  const [row] = await sql`select count(*)::int as events from billing_events`;
  return row.events;
};

/** Subjects that have the entry of an action more than once that can happen to them only once. */
export const listRepeatedEnds = async (
  sql: SQL,
): Promise<{ action: string; times: number }[]> => sql`
  select action, count(*)::int as times from audit_entries
  where action in ('pull.end', 'restore.end', 'backup.create', 'firewall.create', 'pull.create')
  group by account_id, subject_id, action having count(*) > 1`;

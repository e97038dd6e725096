import type { SQL } from 'bun';

export type TableSize = {
  name: string;
  tableMiB: number;
  indexMiB: number;
  rows: number;
  dead: number;
  changed: number;
  vacuums: number;
};

/** The largest tables, those of the queue included. */
export const readTableSizes = async (sql: SQL, most: number): Promise<TableSize[]> => {
  await sql`select pg_stat_force_next_flush()`;
  return sql`
    select relname as name, (pg_table_size(relid) / 1048576.0)::float8 as "tableMiB",
      (pg_indexes_size(relid) / 1048576.0)::float8 as "indexMiB", n_live_tup::float8 as rows,
      n_dead_tup::float8 as dead, (n_tup_upd + n_tup_del)::float8 as changed, autovacuum_count::float8 as vacuums
    from pg_stat_user_tables where schemaname in ('public', 'pgboss')
    order by pg_total_relation_size(relid) desc limit ${most}`;
};

/** Statements that are separated by semicolons, each in a transaction of its own as the service has them. */
export const runTick = async (sql: SQL, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await sql.unsafe(statement);
};

export const resetCounts = async (sql: SQL): Promise<void> => {
  await sql`select pg_stat_reset()`;
  await sql.unsafe('vacuum (analyze)').simple();
};

export const readPlannedSizes = async (sql: SQL) => {
  const [row] = await sql`
    select (select count(*) from scale.servers)::int as servers, (select sum(slots) from scale.servers)::int * 20 as members,
      (select count(*) from member_tokens)::int as tokens`;
  return row;
};

import type { SQL } from 'bun';

/** What the reference asks for an account: the same as the service, so that only the rest differs. */
export const readUser = async (sql: SQL, accountId: string) => {
  const [user] = await sql`
    select id, platform_id, username, display_name, avatar_url, plan, mfa_enabled, created_at,
      (select count(*) from servers where account_id = ${accountId} and deleted_at is null)::int as servers,
      (select count(*) from bots where account_id = ${accountId})::int as custom_bots
    from accounts where id = ${accountId}`;
  return user;
};

/** And for a list: the same rows that the service shows, in the same order. */
export const readServers = (sql: SQL, accountId: string) => sql`
  select id, platform_guild_id, name, icon_url, member_count, verified_role_id, log_channel_id,
    captcha_type, vpn_block_enabled, alt_detect_enabled, firewall_enabled, anti_nuke_enabled,
    anti_raid_enabled, created_at, updated_at
  from servers where account_id = ${accountId} and deleted_at is null
  order by created_at desc, id desc limit 20`;

/** `count` members whose name holds `word`, spread over the past year as the others are. */
export const insertNamedMembers = async (
  sql: SQL,
  server: { id: string; accountId: string },
  { word, count }: { word: string; count: number },
): Promise<void> => {
  await sql`
    insert into members (id, account_id, server_id, platform_id, username, display_name, search_text,
      verified_at)
    select gen_random_uuid(), ${server.accountId}, ${server.id}, (1000 + i)::text, name, name,
      name || E'\n' || name, now() - i * 365 / ${count}::int * interval '1 day'
    from (select i, ${word}::text || '-' || i as name from generate_series(1, ${count}::int) as i) as made`;
};

/** So that no disk write that an earlier part left behind falls into what is measured next. */
export const writeEverythingOut = async (sql: SQL): Promise<void> => {
  await sql`vacuum (analyze) members`.simple();
  await sql`checkpoint`.simple();
};

/** The server's own row is the last that a purge erases, and cheap to ask for. */
export const isErased = async (sql: SQL, serverId: string): Promise<boolean> => {
  const found = await sql`select 1 from servers where id = ${serverId}`;
  return found.length === 0;
};

export const countRows = async (sql: SQL, serverId: string): Promise<number> => {
  const [row] = await sql`select count(*)::int as rows from members where server_id = ${serverId}`;
  return row.rows;
};

export const explain = async (sql: SQL, statement: string, values: unknown[]) => {
  const lines = await sql.unsafe(`explain (analyze, buffers) ${statement}`, values);
  return lines.map((line: Record<string, string>) => String(line['QUERY PLAN']));
};

/** Steps of a restore per stage, in the order in which the stages were gone through. */
export const countStepsByStage = async (sql: SQL, restoreId: string): Promise<number[]> => {
  const rows = await sql`
    select count(*)::int as steps from restore_steps
    where restore_id = ${restoreId} group by stage order by min(seq)`;
  return rows.map(({ steps }: { steps: number }) => steps);
};

/** All that this database has done so far, by whomever. */
export const countTransactions = async (sql: SQL): Promise<number> => {
  const [row] = await sql`
    select (xact_commit + xact_rollback)::float8 as transactions
    from pg_stat_database where datname = current_database()`;
  return row.transactions;
};

/** What is queued and may begin, or is being done. */
export const countDueJobs = async (sql: SQL): Promise<number> => {
  const [row] = await sql`
    select count(*)::int as jobs from pgboss.job
    where state in ('created', 'retry', 'active') and start_after <= now()
      and name not like '\\_\\_pgboss%'`;
  return row.jobs;
};

/** Of all databases of the server, its own work of every kind included. */
export const countAllTransactions = async (sql: SQL): Promise<number> => {
  const [row] = await sql`select sum(xact_commit)::float8 as seen from pg_stat_database`;
  return row.seen;
};

export const countServiceConnections = async (sql: SQL): Promise<number> => {
  const [row] = await sql`
    select count(*)::int as open from pg_stat_activity where application_name like 'holdfast%'`;
  return row.open;
};

/** The process that started all others of this PostgreSQL. */
export const findPostmaster = async (sql: SQL): Promise<number> => {
  const [row] = await sql`
    select split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int as pid`;
  return row.pid;
};

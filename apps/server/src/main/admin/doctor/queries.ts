import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Queryable } from '../../../db/connect.ts';

const serverShape = z.object({
  version: z.string(),
  major: z.number(),
  role: z.string(),
  isSuperuser: z.boolean(),
  isStandby: z.boolean(),
  isEncrypted: z.boolean().nullable(),
  missingExtensions: z.array(z.string()),
  nowMs: z.number(),
});

export const describeServer = async (db: Queryable) => {
  const [row] = await db.execute(sql`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as major,
      current_user::text as role,
      (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
      pg_is_in_recovery() as "isStandby",
      (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as "isEncrypted",
      array(select name from unnest(array['pg_trgm', 'btree_gin']) name
        where name not in (select extname::text from pg_extension)) as "missingExtensions",
      (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`);
  return serverShape.parse(row);
};

const rightsShape = z.object({ name: z.string(), lacks: z.array(z.string()) });

/** What the role lacks on each schema, table and sequence of ours; other programs' tables are left out. */
export const listMissingRights = async (db: Queryable) => {
  const rows = await db.execute(sql`
    with ours as (
      select class.oid, class.relkind, space.nspname as schema, class.relname as name
      from pg_class class join pg_namespace space on space.oid = class.relnamespace
      where space.nspname in ('public', 'drizzle', 'pgboss') and class.relkind in ('r', 'p', 'S')
        and class.relowner = (select relowner from pg_class where oid = to_regclass('public.accounts'))
    ), found as (
      select 'schema ' || nspname as name,
        array(select 'usage' where not has_schema_privilege(oid, 'usage')) as lacks
      from pg_namespace where nspname in ('public', 'drizzle', 'pgboss')
      union all
      select schema || '.' || name, array(
        select asked from unnest(case when schema = 'drizzle' then array['select']
          else array['select', 'insert', 'update', 'delete'] end) asked
        where not has_table_privilege(oid, asked))
      from ours where relkind <> 'S'
      union all
      select schema || '.' || name, array(select 'usage' where not has_sequence_privilege(oid, 'usage'))
      from ours where relkind = 'S' and schema <> 'drizzle'
    )
    select name, lacks from found where cardinality(lacks) > 0
    order by name like 'schema %' desc, name`);
  return rows.map((row) => rightsShape.parse(row));
};

/** Undefined before the queue's tables are made. */
export const findQueueVersion = async (db: Queryable): Promise<number | undefined> => {
  if (!(await hasQueueTables(db))) return undefined;
  const [row] = await db.execute(sql`select version from pgboss.version`);
  return Number(row?.version);
};

const hasQueueTables = async (db: Queryable): Promise<boolean> => {
  const [row] = await db.execute(
    sql`select to_regclass('pgboss.version') is not null as "isThere"`,
  );
  return row?.isThere === true;
};

const connectionsShape = z.object({
  allowed: z.number(),
  used: z.number(),
  processes: z.number(),
  roleLimit: z.number(),
  databaseLimit: z.number(),
});

/** Every process keeps one session to ask whether the database answers: so many processes run. */
export const countConnections = async (db: Queryable) => {
  const [row] = await db.execute(sql`
    select current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      (select count(*)::int from pg_stat_activity
        where datname = current_database() and application_name = 'holdfast-health') as processes,
      (select rolconnlimit from pg_roles where rolname = current_user) as "roleLimit",
      (select datconnlimit from pg_database where datname = current_database()) as "databaseLimit"`);
  return connectionsShape.parse(row);
};

const standbyShape = z.object({
  name: z.string(),
  state: z.string().nullable(),
  syncState: z.string().nullable(),
  lagBytes: z.number().nullable(),
});

/** The states are null where the role may not see them (`pg_monitor`). */
export const describeReplication = async (db: Queryable) => {
  const [row] = await db.execute(sql`select current_setting('synchronous_standby_names') as names`);
  const standbys = await db.execute(sql`
    select application_name as name, state, sync_state as "syncState",
      pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 as "lagBytes"
    from pg_stat_replication`);
  return {
    waitsForStandby: String(row?.names ?? '') !== '',
    standbys: standbys.map((standby) => standbyShape.parse(standby)),
  };
};

/** How long ago a worker looked after the schedules; null where none ever did. */
export const findSchedulerAge = async (db: Queryable): Promise<number | null> => {
  if (!(await hasQueueTables(db))) return null;
  const [row] = await db.execute(
    sql`select extract(epoch from now() - cron_on)::float8 as age from pgboss.version`,
  );
  return z
    .number()
    .nullable()
    .parse(row?.age ?? null);
};

const waitingShape = z.object({ name: z.string(), jobs: z.number(), oldestSeconds: z.number() });

/** Jobs that are due and that nobody has taken yet, by queue; the longest wait first. */
export const listDueJobs = async (db: Queryable) => {
  if (!(await hasQueueTables(db))) return [];
  const rows = await db.execute(sql`
    select name, count(*)::int as jobs,
      extract(epoch from now() - min(start_after))::float8 as "oldestSeconds"
    from pgboss.job where state < 'active' and not blocked and start_after <= now()
    group by name order by min(start_after)`);
  return rows.map((row) => waitingShape.parse(row));
};

const failedShape = z.object({ name: z.string(), jobs: z.number() });

/** Jobs that were given up after all their attempts, in the last day. */
export const listFailedJobs = async (db: Queryable) => {
  if (!(await hasQueueTables(db))) return [];
  const rows = await db.execute(sql`
    select name, count(*)::int as jobs from pgboss.job
    where state = 'failed' and completed_on > now() - interval '1 day'
    group by name order by 2 desc`);
  return rows.map((row) => failedShape.parse(row));
};

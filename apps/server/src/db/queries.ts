import type { SQL } from 'bun';
import { sql } from 'drizzle-orm';
import type { Queryable, Transaction } from './connect.ts';

const migrationLock = 4_201_001;

/** Held until the session ends or `releaseMigrationLock`; false where another session holds it. */
export const tryMigrationLock = async (db: Queryable): Promise<boolean> => {
  const [row] = await db.execute(sql`select pg_try_advisory_lock(${migrationLock}) as "isTaken"`);
  return row?.isTaken === true;
};

/** `idleSeconds` is null while the session is active, and where our role may not see its state. */
export type LockHolder = {
  pid: number;
  name: string | null;
  address: string | null;
  idleSeconds: number | null;
};

export const findMigrationLockHolder = async (db: Queryable): Promise<LockHolder | undefined> => {
  const [row] = await db.execute(sql`
    select pid, application_name as name, host(client_addr) as address,
      case when state like 'idle%' then
        extract(epoch from clock_timestamp() - state_change)::float8 end as "idleSeconds"
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted
      and classid = 0 and objid = ${migrationLock} and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())`);
  // The statement's own columns.
  return row as LockHolder | undefined;
};

export const releaseMigrationLock = (db: Queryable) =>
  db.execute(sql`select pg_advisory_unlock(${migrationLock})`);

/** The time each migration was written, in milliseconds; none before the first one made the table. */
export const listAppliedMigrations = async (db: Queryable): Promise<number[]> => {
  const [table] = await db.execute(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as "isThere"`,
  );
  if (!table?.isThere) return [];
  const rows = await db.execute(
    sql`select created_at as "writtenAt" from drizzle.__drizzle_migrations`,
  );
  return [...rows].map(({ writtenAt }) => Number(writtenAt));
};

/** Runs the statements, and records one migration in the place of all that were applied. */
export const replaceMigrations = async (
  tx: Transaction,
  statements: string[],
  migration: { hash: string; writtenAt: number },
): Promise<void> => {
  for (const statement of statements) await tx.execute(sql.raw(statement));
  await tx.execute(sql`delete from drizzle.__drizzle_migrations`);
  await tx.execute(
    sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      values (${migration.hash}, ${migration.writtenAt})`,
  );
};

/** Jobs with a payload, and long jobs that a worker holds; those of a schedule have no payload. */
export const countUnfinishedJobs = async (tx: Transaction): Promise<number> => {
  if (!(await hasQueue(tx))) return 0;
  const [row] = await tx.execute(sql`
    select (select count(*) from pgboss.job where state < 'completed' and coalesce(data, '{}') <> '{}')
      + (select count(*) from job_leases) as jobs`);
  return Number(row?.jobs);
};

/** With what they have queued: workers of this version write their own when they start. */
export const deleteSchedules = async (tx: Transaction): Promise<void> => {
  if (!(await hasQueue(tx))) return;
  await tx.execute(sql`delete from pgboss.schedule`);
  await tx.execute(sql`delete from pgboss.job where state < 'completed'`);
};

const hasQueue = async (tx: Transaction): Promise<boolean> => {
  const [queue] = await tx.execute(sql`select to_regclass('pgboss.job') is not null as "exists"`);
  return queue?.exists === true;
};

/** A crash may lose this transaction as a whole: only for work that is then repeated. */
export const commitWithoutWaiting = (tx: Transaction) =>
  tx.execute(sql`set local synchronous_commit to off`);

/** Without waiting for the disk: a notification does not survive a crash anyway. */
export const notify = (db: Queryable, channel: string, payload: string) =>
  db.execute(sql`
    select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${payload})`);

export const ping = (db: Queryable) => db.execute(sql`select 1`);

export const serverVersion = async (db: Queryable): Promise<number> => {
  const [row] = await db.execute(sql`select current_setting('server_version_num')::int as version`);
  return Number(row?.version);
};

/** Set on the connection, because a setting of the role may limit statements too. */
export const liftStatementTimeout = (db: Queryable) => db.execute(sql`set statement_timeout to 0`);

/** By the simple protocol, which every pooler supports in every mode. */
export const readSession = async (client: SQL): Promise<{ pid: number; timeoutMs: number }> => {
  const [row] = await client`select pg_backend_pid() as pid,
    (select setting::int from pg_settings where name = 'statement_timeout') as timeout_ms`.simple();
  return { pid: Number(row?.pid), timeoutMs: Number(row?.timeout_ms) };
};

/** Held until the transaction ends. */
export const takeProbeLock = (tx: SQL, key: number) =>
  tx`select pg_advisory_xact_lock(${String(key)}::bigint)`;

/** Whether another session of the same database holds it. */
export const isProbeLockTaken = async (client: SQL, key: number): Promise<boolean> => {
  const [row] = await client`select pg_try_advisory_xact_lock(${String(key)}::bigint) as free`;
  return row?.free === false;
};

export const createDatabaseIfMissing = async (client: SQL, name: string): Promise<void> => {
  const found = await client`select 1 from pg_database where datname = ${name}`;
  if (found.length === 0) await client`create database ${client(name)}`.simple();
};

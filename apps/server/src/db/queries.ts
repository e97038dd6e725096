import type { SQL } from 'bun';
import { sql } from 'drizzle-orm';
import type { Queryable, Transaction } from './connect.ts';

const migrationLock = 4_201_001;

/** Held until the session ends or `releaseMigrationLock`; false where another session holds it. */
export const tryMigrationLock = async (db: Queryable): Promise<boolean> => {
  const [row] = await db.execute(sql`select pg_try_advisory_lock(${migrationLock}) as "isTaken"`);
  return row?.isTaken === true;
};

/** `idleSeconds` is null while it works, and where our role may not see what it does. */
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

/** When each was written, in milliseconds; none before the first migration made the table. */
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

/** This transaction may be lost in a crash, whole; only for work that is then done again. */
export const commitWithoutWaiting = (tx: Transaction) =>
  tx.execute(sql`set local synchronous_commit to off`);

export const ping = (db: Queryable) => db.execute(sql`select 1`);

export const serverVersion = async (db: Queryable): Promise<number> => {
  const [row] = await db.execute(sql`select current_setting('server_version_num')::int as version`);
  return Number(row?.version);
};

/** On a connection of its own: role settings, too, may limit how long a statement takes. */
export const liftStatementTimeout = (db: Queryable) => db.execute(sql`set statement_timeout to 0`);

/** By the simple protocol, which every pooler lets through in every mode. */
export const readSession = async (client: SQL): Promise<{ pid: number; timeoutMs: number }> => {
  const [row] = await client`select pg_backend_pid() as pid,
    (select setting::int from pg_settings where name = 'statement_timeout') as timeout_ms`.simple();
  return { pid: Number(row?.pid), timeoutMs: Number(row?.timeout_ms) };
};

/** Before there is a database to connect drizzle to, the bare client asks. */
export const askAnything = (client: SQL) => client`select 1`;

export const createDatabaseIfMissing = async (client: SQL, name: string): Promise<void> => {
  const found = await client`select 1 from pg_database where datname = ${name}`;
  if (found.length === 0) await client`create database ${client(name)}`.simple();
};

/**
 * Whether PostgreSQL works on a statement of a session of this name, or waits for a lock with it. One
 * that only waits for its client to take the answer does not work.
 */
export const isAtWork = async (client: SQL, applicationName: string): Promise<boolean> => {
  const [row] = await client`select exists (
    select from pg_stat_activity
    where application_name = ${applicationName} and pid <> pg_backend_pid() and state = 'active'
      and wait_event_type is distinct from 'Client') as "isAtWork"`;
  return row?.isAtWork === true;
};

import type { SQL } from 'bun';
import { sql } from 'drizzle-orm';
import type { Queryable, Transaction } from './connect.ts';

const migrationLock = 4_201_001;

/** Held until the session ends or `releaseMigrationLock`; a second starter waits here. */
export const takeMigrationLock = (db: Queryable) =>
  db.execute(sql`select pg_advisory_lock(${migrationLock})`);

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

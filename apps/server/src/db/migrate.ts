import { join } from 'node:path';
import { migrate } from 'drizzle-orm/bun-sql/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { closeDatabase, connectDatabase, type Database } from './connect.ts';
import { isConnectionLost, isPermissionDenied } from './failures.ts';
import { type TellWaiting, waitForMigrationLock } from './migration-lock.ts';
import type { PoolTimes } from './pool.ts';
import {
  liftStatementTimeout,
  listAppliedMigrations,
  releaseMigrationLock,
  serverVersion,
} from './queries.ts';
import { requireSession } from './require-session.ts';

type Options = {
  /** Told now and then, while another process migrates, what is waited for. */
  tell?: TellWaiting;
  times?: Partial<PoolTimes>;
};

const migrationsFolder = join(import.meta.dir, '../../migrations');
const oldestSupported = 15;

/**
 * Brings the database to this version's shape and tells how many migrations that took. Of several
 * starters one works, the others wait. A database that is in shape is only read, so that the service
 * can run as a role that may not create anything.
 */
export const migrateDatabase = async (
  url: string,
  { tell = () => undefined, times = {} }: Options = {},
): Promise<number> => {
  const db = connectDatabase(url, {
    ...{ name: 'holdfast-migrate', poolSize: 1, statementTimeoutMs: 0, times },
  });
  try {
    const major = Math.floor((await serverVersion(db).catch(tellUnreachable)) / 10_000);
    if (major < oldestSupported) {
      throw new Error(`PostgreSQL ${major} is too old: Holdfast needs ${oldestSupported} or later`);
    }
    await requireSession(url);
    if ((await countPending(db)) === 0) return 0;
    await liftStatementTimeout(db);
    await waitForMigrationLock(db, tell);
    const pending = await countPending(db);
    if (pending > 0) await migrate(db, { migrationsFolder });
    await releaseMigrationLock(db);
    return pending;
  } catch (error) {
    if (isConnectionLost(error)) throw lostWhileMigrating(error);
    throw isPermissionDenied(error) ? mayNotMigrate(error) : error;
  } finally {
    await closeDatabase(db);
  }
};

/** Migrations are told apart by the time they were written, as the migrator itself does. */
const countPending = async (db: Database): Promise<number> => {
  const known = readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis);
  const applied = await listAppliedMigrations(db);
  const unknown = applied.filter((writtenAt) => !known.includes(writtenAt));
  if (unknown.length > 0) {
    throw new Error(
      `The database is newer than this Holdfast: ${unknown.length} of its migrations are unknown here. Start the version that made them, or restore the backup from before that upgrade.`,
    );
  }
  const newest = Math.max(...applied);
  return known.filter((writtenAt) => applied.length === 0 || writtenAt > newest).length;
};

/** What a role that may not change tables is told, whoever noticed it. */
export const mayNotMigrate = (cause: unknown): Error =>
  new Error(
    'The database has to be migrated, and the role in DATABASE_URL may not do that: run "npm run admin -- migrate" with the role that owns the tables. The section "Two roles" of docs/operations.md lists what each role needs.',
    { cause },
  );

const lostWhileMigrating = (cause: unknown): Error =>
  new Error(
    'The connection to the database was lost while it was looked at or migrated. A migration is done whole or not at all: start again.',
    { cause },
  );

const tellUnreachable = (error: unknown): never => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new Error(`The database does not answer: ${reason}. Is DATABASE_URL right?`);
};

import { join } from 'node:path';
import { closeDatabase, connectDatabase, type Database, patientConnectSeconds } from './connect.ts';
import { isConnectionLost, isPermissionDenied } from './failures.ts';
import { type OnWaiting, waitForMigrationLock } from './migration-lock.ts';
import type { PoolTimes } from './pool/pool.ts';
import {
  countUnfinishedJobs,
  deleteSchedules,
  liftStatementTimeout,
  listAppliedMigrations,
  releaseMigrationLock,
  replaceMigrations,
  serverVersion,
} from './queries.ts';
import { requireSession } from './require-session.ts';
import { applyMigrations, defaultLockTimes, type LockTimes } from './steps/apply-migrations.ts';
import { type AppliedStep, listAppliedSteps } from './steps/queries.ts';
import { type Migration, type Migrations, readMigrations } from './steps/read-migrations.ts';

type Options = {
  /** Called now and then while another process migrates, or holds a table that a migration needs. */
  onWaiting?: OnWaiting;
  times?: Partial<PoolTimes>;
  lockTimes?: Partial<LockTimes>;
  /** This release's own, unless a test gives others. */
  migrations?: Migrations;
};

const oldestSupported = 15;

/**
 * Applies the pending migrations and returns how many there were. Of several processes that start at
 * once, one migrates and the others wait. A database that is up to date is only read, so that the
 * service can run as a role without privileges on the schema.
 */
export const migrateDatabase = async (
  url: string,
  { onWaiting = () => undefined, times = {}, lockTimes, migrations: files }: Options = {},
): Promise<number> => {
  const db = connectDatabase(url, {
    ...{ name: 'holdfast-migrate', poolSize: 1, statementTimeoutMs: 0, times },
    leastConnectSeconds: patientConnectSeconds,
  });
  try {
    const major = Math.floor((await serverVersion(db).catch(throwUnreachable)) / 10_000);
    if (major < oldestSupported) {
      throw new Error(`PostgreSQL ${major} is too old: Holdfast needs ${oldestSupported} or later`);
    }
    await requireSession(url);
    const known = files ?? readMigrations();
    if ((await listPending(db, known)).length === 0) return 0;
    await liftStatementTimeout(db);
    await waitForMigrationLock(db, onWaiting);
    const isTakenOver = isFromDevelopment(await listAppliedMigrations(db));
    if (isTakenOver) await takeOver(db, known);
    const pending = await listPending(db, known);
    const { releases } = known;
    const locks = { ...defaultLockTimes, ...lockTimes };
    if (pending.length > 0) {
      await applyMigrations(db, pending, { releases, onWaiting, lockTimes: locks });
    }
    await releaseMigrationLock(db);
    // Taking a database over replaces the first migration, which is then not run.
    return pending.length + (isTakenOver ? 1 : 0);
  } catch (error) {
    if (isConnectionLost(error)) throw lostWhileMigrating(error);
    throw isPermissionDenied(error) ? migrationDenied(error) : error;
  } finally {
    await closeDatabase(db);
  }
};

/** Throws for a database over which this release must not run. */
const listPending = async (db: Database, known: Migrations): Promise<Migration[]> => {
  const applied = await listAppliedMigrations(db);
  if (isFromDevelopment(applied)) return known.migrations;
  const steps = await listAppliedSteps(db);
  const isKnown = (writtenAt: number) =>
    known.migrations.some((migration) => migration.writtenAt === writtenAt);
  requireOldEnough(
    steps.filter(({ writtenAt }) => !isKnown(writtenAt)),
    known.current,
  );
  const recorded = new Set(steps.map(({ writtenAt }) => writtenAt));
  const unknown = applied.filter((one) => !isKnown(one) && !recorded.has(one));
  if (unknown.length > 0) {
    throw new Error(
      `The database is newer than this Holdfast: ${unknown.length} of its migrations are unknown here. Start the version that made them, or restore the backup from before that upgrade.`,
    );
  }
  const done = new Set([...applied, ...recorded]);
  return known.migrations.filter(({ writtenAt }) => !done.has(writtenAt));
};

/** Steps of later releases that only add something are no obstacle. */
const requireOldEnough = (unknown: AppliedStep[], current: Migrations['current']): void => {
  const [highest] = unknown.toSorted((one, other) => other.lowestGeneration - one.lowestGeneration);
  if (!highest || highest.lowestGeneration <= current.generation) return;
  throw new Error(
    `The database is newer than this Holdfast ${current.version}: it lacks what versions before ${highest.lowestVersion} use, so start ${highest.lowestVersion} or later, or restore the backup from before that upgrade.`,
  );
};

/** The migrations of the development versions, which the first release replaced by one. */
const developmentMigrations = { count: 21, last: 1_794_781_957_430 };

/** Throws for a database with an earlier schema of the development versions. */
const isFromDevelopment = (applied: number[]): boolean => {
  const { count, last } = developmentMigrations;
  const newest = Math.max(...applied);
  if (applied.length === 0 || newest > last) return false;
  if (newest === last && applied.length === count) return true;
  throw new Error(
    'The database has the schema of a development version before the last one. Start the last development version once, then this one; docs/operations.md describes it under "Upgrades".',
  );
};

const takeOver = async (db: Database, { migrations: [first] }: Migrations): Promise<void> => {
  const text = await Bun.file(join(import.meta.dir, 'takeover.sql')).text();
  if (!first) throw new Error('There are no migrations');
  const statements = text.split('--> statement-breakpoint');
  await db.transaction(async (tx) => {
    const jobs = await countUnfinishedJobs(tx);
    if (jobs > 0) {
      throw new Error(
        `The queue still holds ${jobs} jobs of the development version, which this version cannot read. Start the development version until they are done, then this one.`,
      );
    }
    await deleteSchedules(tx);
    await replaceMigrations(tx, statements, first);
  });
};

/** For a role without privileges on the schema; also thrown for the queue's tables. */
export const migrationDenied = (cause: unknown): Error =>
  new Error(
    'The database has to be migrated, and the role in DATABASE_URL may not do that: run "npm run admin -- migrate" with the role that owns the tables. The section "Two roles" of docs/operations.md lists what each role needs.',
    { cause },
  );

const lostWhileMigrating = (cause: unknown): Error =>
  new Error(
    'The connection to the database was lost while it was looked at or migrated. A migration is done whole or not at all: start again.',
    { cause },
  );

const throwUnreachable = (error: unknown): never => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new Error(`The database does not answer: ${reason}. Is DATABASE_URL right?`);
};

import type { Database } from '../connect.ts';
import { isLockTimeout } from '../failures.ts';
import type { OnWaiting } from '../migration-lock.ts';
import {
  createMigrationTables,
  dropIndexConcurrently,
  findIndexState,
  limitLockWait,
  recordMigration,
  runStatement,
} from './queries.ts';
import type { Migration, Migrations } from './read-migrations.ts';

export type LockTimes = {
  /** Longer than the second after which PostgreSQL takes a table away from its own vacuum. */
  waitMs: number;
  pauseMs: number;
  giveUpAfterMs: number;
  reportEveryMs: number;
};

export const defaultLockTimes: LockTimes = {
  waitMs: 2000,
  pauseMs: 3000,
  giveUpAfterMs: 10 * 60_000,
  reportEveryMs: 15_000,
};

type Options = { releases: Migrations['releases']; onWaiting: OnWaiting; lockTimes: LockTimes };

/**
 * The base is applied as a whole or not at all, and so is every step after it. A migration that does not
 * get a lock soon lets go and tries again later, so that requests never wait behind it for long.
 */
export const applyMigrations = async (
  db: Database,
  pending: Migration[],
  options: Options,
): Promise<void> => {
  await createMigrationTables(db);
  const base = pending.filter(({ step }) => step === 'base');
  if (base.length > 0) await applyInTransaction(db, base, options);
  for (const migration of pending.filter(({ step }) => step !== 'base')) {
    if (runsConcurrently(migration)) await applyConcurrently(db, migration, options);
    else await applyInTransaction(db, [migration], options);
  }
};

const applyInTransaction = (db: Database, migrations: Migration[], options: Options) =>
  repeatUntilUnlocked(migrations.at(-1)?.tag ?? '', options, () =>
    db.transaction(async (tx) => {
      await limitLockWait(tx, options.lockTimes.waitMs);
      for (const migration of migrations) {
        for (const statement of migration.statements) await runStatement(tx, statement);
        await recordMigration(tx, migration, lowestVersionOf(migration, options));
      }
    }),
  );

const lowestVersionOf = ({ lowestGeneration }: Migration, { releases }: Options): string =>
  releases.find(({ generation }) => generation === lowestGeneration)?.version ?? '';

const concurrentIndex =
  /\bcreate\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?/i;

const runsConcurrently = ({ statements }: Migration): boolean =>
  statements.some((statement) => /\bindex\s+concurrently\b/i.test(statement));

/** PostgreSQL does this in no transaction; its locks hold up neither reads nor writes. */
const applyConcurrently = async (
  db: Database,
  migration: Migration,
  options: Options,
): Promise<void> => {
  for (const statement of migration.statements) {
    const name = concurrentIndex.exec(statement)?.[1];
    const state = name === undefined ? undefined : await findIndexState(db, name);
    if (state === 'valid') continue;
    if (state === 'invalid' && name !== undefined) await dropIndexConcurrently(db, name);
    await runStatement(db, statement);
  }
  await recordMigration(db, migration, lowestVersionOf(migration, options));
};

const repeatUntilUnlocked = async (
  tag: string,
  { onWaiting, lockTimes }: Options,
  apply: () => Promise<void>,
): Promise<void> => {
  const startedAt = performance.now();
  let reportedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await apply();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (performance.now() - startedAt > lockTimes.giveUpAfterMs) throw neverUnlocked(tag, error);
    }
    if (performance.now() - reportedAt >= lockTimes.reportEveryMs) {
      onWaiting(`The migration ${tag} waits for a table that another session holds`);
      reportedAt = performance.now();
    }
    await Bun.sleep(lockTimes.pauseMs);
  }
};

const neverUnlocked = (tag: string, cause: unknown): Error =>
  new Error(
    `The migration ${tag} was given up: another session holds one of its tables all the time. Look for long transactions or a running dump in pg_stat_activity, then start again.`,
    { cause },
  );

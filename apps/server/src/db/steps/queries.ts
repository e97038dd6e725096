import { sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../connect.ts';
import { firstGeneration, type Migration } from './read-migrations.ts';

/**
 * The steps after the first release have a table of their own: that release refuses whatever it does not
 * know in `__drizzle_migrations`, and must be able to run over what was only added.
 */
export const createMigrationTables = async (db: Queryable): Promise<void> => {
  await db.execute(sql`create schema if not exists drizzle`);
  await db.execute(sql`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint)`);
  await db.execute(sql`create table if not exists drizzle.schema_steps (
    written_at bigint primary key,
    tag text not null,
    hash text not null,
    step text not null,
    generation int not null,
    lowest_generation int not null,
    lowest_version text not null,
    applied_at timestamptz not null default now())`);
};

export type AppliedStep = {
  writtenAt: number;
  generation: number;
  lowestGeneration: number;
  lowestVersion: string;
};

/** None before the first step made the table. */
export const listAppliedSteps = async (db: Queryable): Promise<AppliedStep[]> => {
  const [table] = await db.execute(
    sql`select to_regclass('drizzle.schema_steps') is not null as "isThere"`,
  );
  if (!table?.isThere) return [];
  const rows = await db.execute(sql`
    select written_at::text as "writtenAt", generation, lowest_generation as "lowestGeneration",
      lowest_version as "lowestVersion"
    from drizzle.schema_steps`);
  return [...rows].map(({ writtenAt, generation, lowestGeneration, lowestVersion }) => ({
    writtenAt: Number(writtenAt),
    generation: Number(generation),
    lowestGeneration: Number(lowestGeneration),
    lowestVersion: String(lowestVersion),
  }));
};

/** A statement that waits for a lock holds up everything behind it, also what only reads. */
export const limitLockWait = (tx: Transaction, ms: number) =>
  tx.execute(sql`select set_config('lock_timeout', ${String(ms)}, true)`);

export const runStatement = (db: Queryable, statement: string) => db.execute(sql.raw(statement));

/**
 * Where code of the first release must not run any more it is recorded for that release too, which looks
 * only there.
 */
export const recordMigration = async (
  db: Queryable,
  migration: Migration,
  lowestVersion: string,
): Promise<void> => {
  const { tag, writtenAt, hash, step, generation, lowestGeneration } = migration;
  if (step === 'base' || lowestGeneration > firstGeneration) {
    await db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      values (${hash}, ${writtenAt})`);
  }
  if (step === 'base') return;
  await db.execute(sql`
    insert into drizzle.schema_steps
      (written_at, tag, hash, step, generation, lowest_generation, lowest_version)
    values (${writtenAt}, ${tag}, ${hash}, ${step}, ${generation}, ${lowestGeneration}, ${lowestVersion})`);
};

/** `invalid` is what remains of an index whose building was broken off. */
export const findIndexState = async (
  db: Queryable,
  name: string,
): Promise<'valid' | 'invalid' | undefined> => {
  const [row] = await db.execute(sql`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${`"${name}"`})`);
  if (!row) return undefined;
  return row.isValid ? 'valid' : 'invalid';
};

export const dropIndexConcurrently = (db: Queryable, name: string) =>
  db.execute(sql`drop index concurrently if exists ${sql.identifier(name)}`);

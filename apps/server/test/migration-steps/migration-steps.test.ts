import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import bossPackage from 'pg-boss/package.json';
import {
  type Migration,
  type Release,
  readMigrations,
} from '../../src/db/steps/read-migrations.ts';
import { readTables } from '../architecture/statements/tables.ts';
import { findStepFaults } from './find-faults.ts';

const { migrations, releases, current } = readMigrations();
const toSnakeCase = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe('the migrations of this repository', () => {
  test('hold only what the release before survives, and take away only what it no longer used', () => {
    expect(migrations.filter(({ step }) => step === 'base').length).toBeGreaterThan(20);
    expect(findStepFaults(migrations, releases)).toEqual([]);
  });

  test('belong to releases, of which only the one being made has no last migration', () => {
    const tags = migrations.map(({ tag }) => tag);
    for (const [index, { generation, lastMigration }] of releases.entries()) {
      expect(generation).toBe(index + 1);
      if (lastMigration !== undefined) expect(tags).toContain(lastMigration);
      else expect(index).toBe(releases.length - 1);
    }
  });

  test('take away nothing that the code still declares', async () => {
    const declared = await readTables(join(import.meta.dir, '../../../..'));
    const names = declared.flatMap(({ sqlName, columns }) => [
      `drop table ${sqlName}`,
      ...columns.map((column) => `drop column ${sqlName}.${toSnakeCase(column)}`),
    ]);
    expect(names).toContain('drop column members.account_created_at');
    const ready = new Set(releases.flatMap(({ readyFor }) => readyFor));
    expect(names.filter((name) => ready.has(name))).toEqual([]);
  });

  test('leave the tables of the queue as the release before knows them', () => {
    // pg-boss refuses tables that are newer than itself, so a newer schema cannot be rolled back.
    const before = releases.at(-2);
    expect(current.queueSchema).toBe(bossPackage.pgboss.schema);
    expect(before?.queueSchema).toBe(bossPackage.pgboss.schema);
  });
});

const ready = (generation: number, ...readyFor: string[]): Release => ({
  ...{ generation, version: `1.${generation - 1}.0`, queueSchema: 43, readyFor },
});

/** Steps of the second release, after one that has said what it is ready for. */
const faultsOf = (step: 'expand' | 'contract', sql: string, ...readyFor: string[]): string[] => {
  const planted: Migration = {
    ...{
      tag: 'planted',
      writtenAt: 1,
      hash: '',
      statements: sql.split('--> statement-breakpoint'),
    },
    ...{ step, generation: 3, lowestGeneration: step === 'expand' ? 1 : 2 },
  };
  return findStepFaults([planted], [ready(1), ready(2, ...readyFor), ready(3)]);
};

describe('an expand step', () => {
  test.each([
    [
      'a table with all that it needs',
      'CREATE TABLE "a" ("id" uuid PRIMARY KEY NOT NULL, "b" text NOT NULL UNIQUE);--> statement-breakpoint\nCREATE UNIQUE INDEX "a_b" ON "a" USING btree ("b");--> statement-breakpoint\nALTER TABLE "a" ADD CONSTRAINT "a_fk" FOREIGN KEY ("b") REFERENCES "public"."members"("id");\nINSERT INTO a VALUES (1)',
    ],
    ['a column that may be null', 'ALTER TABLE "members" ADD COLUMN "b" text;'],
    ['a column with a default', `ALTER TABLE "members" ADD COLUMN "b" text DEFAULT '' NOT NULL;`],
    [
      'a column with the time of the step',
      'alter table members add b timestamptz default now() not null',
    ],
    [
      'a column named like a constraint',
      'alter table members add column checks int, add unique_id text',
    ],
    [
      'rows of a new table hidden',
      'create table b (c int); alter table b enable row level security',
    ],
    ['several columns at once', 'alter table members add column b text, add c numeric(1, 2)'],
    [
      'an index that is built concurrently',
      'CREATE INDEX CONCURRENTLY "b" ON "members" USING btree ("b");',
    ],
    [
      'a check of a new column',
      'alter table members add column b int; alter table members add constraint b_check check (b > 0) not valid',
    ],
    ['the validation of a constraint', 'alter table members validate constraint b_check'],
    [
      'a default for what new code no longer writes',
      `alter table "members" alter column "b" set default 'drop table'`,
    ],
    [
      'words that stand only in a comment',
      '-- drop table members\nalter table members add b text /* rename */',
    ],
  ])('may hold %s', (_, sql) => {
    expect(faultsOf('expand', sql)).toEqual([]);
  });

  test.each([
    ['a dropped table', 'DROP TABLE "members";'],
    ['a dropped column', 'ALTER TABLE "members" DROP COLUMN "b";'],
    ['a dropped column beside an added one', 'alter table members add c text, drop column b'],
    ['a renamed column', 'ALTER TABLE "members" RENAME COLUMN "b" TO "c";'],
    ['a renamed table', 'ALTER TABLE "members" RENAME TO "people";'],
    ['another type', 'ALTER TABLE "members" ALTER COLUMN "b" SET DATA TYPE bigint;'],
    ['not null', 'ALTER TABLE "members" ALTER COLUMN "b" SET NOT NULL;'],
    [
      'null where old code expects a value',
      'ALTER TABLE "members" ALTER COLUMN "b" DROP NOT NULL;',
    ],
    ['a dropped default', 'ALTER TABLE "members" ALTER COLUMN "b" DROP DEFAULT;'],
    [
      'a column that old code would have to fill',
      'ALTER TABLE "members" ADD COLUMN "b" text NOT NULL;',
    ],
    [
      'a column that rewrites the table',
      'alter table members add b uuid default gen_random_uuid() not null',
    ],
    ['a unique column', 'alter table members add b text unique'],
    ['a unique constraint without a name', 'ALTER TABLE "members" ADD UNIQUE ("b");'],
    ['a primary key without a name', 'alter table members add primary key (b)'],
    ['a check without a name', 'alter table members add check (b > 0)'],
    ['an exclusion without a name', 'alter table members add exclude using gist (b with =)'],
    ['a check beside a new column', "alter table members add b text check (name <> '')"],
    [
      'a default of null where there may be none',
      'alter table members add b text not null default null',
    ],
    ['a default taken away by another name', 'alter table members alter b set default null'],
    ['a numbered column by its other name', 'alter table members add b serial8'],
    [
      'a default of a function that nobody here knows',
      'alter table members add b uuid default public.uuid_generate_v4() not null',
    ],
    ['rows hidden from the role of the service', 'alter table members enable row level security'],
    ['a table that may be an old one', 'create table if not exists members (id int)'],
    ['a part of a table in use', 'create table b partition of members for values in (1)'],
    [
      'what stands behind an escaped quote',
      "comment on table members is E'a\\''; drop table members; comment on table members is 'b'",
    ],
    ['an index that stops writes', 'CREATE INDEX "b" ON "members" USING btree ("b");'],
    ['a unique index on what old code writes', 'create unique index concurrently b on members (b)'],
    [
      'a constraint that is checked at once',
      'alter table members add column b int; alter table members add constraint c check (b > 0)',
    ],
    [
      'a constraint on what old code writes',
      "alter table members add constraint c check (name <> '') not valid",
    ],
    [
      'a foreign key that is checked at once',
      'alter table members add b uuid references servers (id)',
    ],
    ['changed rows', `UPDATE "members" SET "b" = '';`],
    [
      'a trigger on what old code writes',
      'create trigger t before insert on members execute function f()',
    ],
    [
      'a replaced function',
      'create or replace function f() returns int language sql as $$ select 1; $$',
    ],
    ['truncated rows', 'truncate members'],
    ['anything unknown', 'do $$ begin drop table members; end $$'],
    [
      'an index built concurrently beside something else',
      'alter table members add b text; create index concurrently b on members (b)',
    ],
  ])('may not hold %s', (_, sql) => {
    expect(faultsOf('expand', sql)).toHaveLength(1);
  });
});

describe('a contract step', () => {
  test.each([
    ['drop column members.b', 'ALTER TABLE "members" DROP COLUMN "b";'],
    ['drop table members', 'DROP TABLE "members";'],
    ['drop index members_b', 'DROP INDEX CONCURRENTLY "members_b";'],
    ['drop constraint members.b_check', 'alter table members drop constraint b_check'],
    ['set not null members.b', 'alter table members alter column b set not null'],
    ['drop not null members.b', 'alter table members alter b drop not null'],
    ['create unique index members_b', 'create unique index concurrently members_b on members (b)'],
    ['add constraint members.c', 'alter table members add constraint c check (b > 0) not valid'],
  ])('may "%s" only after a release that was ready for it', (change, sql) => {
    expect(faultsOf('contract', sql, change)).toEqual([]);
    expect(faultsOf('contract', sql)).toEqual([
      expect.stringContaining(`needs "${change}" in readyFor of an earlier release`),
    ]);
  });

  test.each([
    ['take away more than it names', 'drop table members cascade'],
    ['rename', 'alter table members rename column b to c'],
    ['change a type', 'alter table members alter column b type bigint'],
    ['add, which is for an expand step', 'alter table members add column b text'],
  ])('may never %s', (_, sql) => {
    expect(faultsOf('contract', sql, 'drop table members')).toEqual([
      expect.stringContaining('is no step of a contract'),
    ]);
  });

  test('is not covered by what its own release is ready for', () => {
    const planted: Migration = {
      ...{ tag: 'planted', writtenAt: 1, hash: '', statements: ['drop table members'] },
      ...{ step: 'contract', generation: 2, lowestGeneration: 1 },
    };
    const faults = findStepFaults([planted], [ready(1), ready(2, 'drop table members')]);
    expect(faults).toHaveLength(1);
  });
});

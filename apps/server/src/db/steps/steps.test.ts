import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { migrateDatabase } from '../migrate.ts';
import { type Migration, type Migrations, readMigrations } from './read-migrations.ts';

let url: string;
let sql: SQL;
let other: SQL;

beforeEach(async () => {
  url = await freshDatabase();
  sql = new SQL(url, { max: 1 });
  other = new SQL(url, { max: 1 });
});
afterEach(async () => {
  await Promise.all([sql.close(), other.close()]);
});

const own = readMigrations();
const next = own.current.generation + 1;

/** The migrations of a later release, which has these on top of ours. */
const laterRelease = (...added: Partial<Migration>[]): Migrations => {
  const generation = Math.max(next, ...added.map((migration) => migration.generation ?? next));
  const later = Array.from({ length: generation - own.current.generation }, (_, index) => ({
    ...own.current,
    ...{ generation: next + index, version: `1.${next + index - 1}.0` },
  }));
  const planted = added.map((migration, index) => ({
    ...{ tag: `planted-${index}`, writtenAt: 8_000_000_000_000 + index, hash: 'planted' },
    ...{ statements: [], step: 'expand' as const, generation, lowestGeneration: 1, ...migration },
  }));
  const releases = [...own.releases, ...later];
  const current = releases.at(-1) ?? own.current;
  return { releases, current, migrations: [...own.migrations, ...planted] };
};

const adding = laterRelease({ statements: ['alter table accounts add column shoe_size int'] });
const hasColumn = async () =>
  (await sql`select from information_schema.columns where column_name = 'shoe_size'`).length === 1;

describe('a release', () => {
  test('runs over a database to which the next one has only added something', async () => {
    expect(await migrateDatabase(url, { migrations: adding })).toBe(1);
    expect(await hasColumn()).toBe(true);
    expect(await migrateDatabase(url)).toBe(0);
    // Where the first release looks, which refuses all that it does not know.
    const known = own.migrations.map(({ writtenAt }) => writtenAt);
    const told: { at: string }[] = await sql`
      select created_at::text as at from drizzle.__drizzle_migrations`;
    for (const { at } of told) expect(known).toContain(Number(at));
    expect(await migrateDatabase(url, { migrations: adding })).toBe(0);
  });

  test('refuses, in one sentence, a database that lacks what it uses', async () => {
    const taking = laterRelease({
      ...{ statements: ['drop table seal_keys'], step: 'contract', generation: next + 1 },
      lowestGeneration: next,
    });
    expect(await migrateDatabase(url, { migrations: taking })).toBe(1);
    const version = `1.${next - 1}.0`;
    await expect(migrateDatabase(url)).rejects.toThrow(
      `The database is newer than this Holdfast ${own.current.version}: it lacks what versions before ${version} use, so start ${version} or later, or restore the backup from before that upgrade.`,
    );
    // For the first release, which looks only there.
    expect(await sql`select from drizzle.__drizzle_migrations where hash = 'planted'`).toHaveLength(
      1,
    );
    // The release before the one that took it away had stopped to use it.
    const between = laterRelease();
    expect(between.current.version).toBe(version);
    expect(await migrateDatabase(url, { migrations: between })).toBe(0);
  });
});

describe('a migration', () => {
  const quick = { waitMs: 200, pauseMs: 100, reportEveryMs: 0 };

  test('lets go of a table that it does not get, so that others can read it, and tries again', async () => {
    const told: string[] = [];
    let migrated: Promise<number> | undefined;
    await other.begin(async (tx) => {
      await tx`select count(*) from accounts`;
      const onWaiting = (sentence: string) => told.push(sentence);
      migrated = migrateDatabase(url, { migrations: adding, lockTimes: quick, onWaiting });
      await eventually(10_000, () => expect(told.length).toBeGreaterThan(1));
      await sql`set statement_timeout to 5000`.simple();
      await sql`select count(*) from accounts`;
      expect(await hasColumn()).toBe(false);
    });
    expect(await migrated).toBe(1);
    expect(told[0]).toBe('The migration planted-0 waits for a table that another session holds');
    expect(await hasColumn()).toBe(true);
  });

  test('is given up with a sentence when a table is held all the time, and changes nothing', async () => {
    await other.begin(async (tx) => {
      await tx`select count(*) from accounts`;
      const lockTimes = { ...quick, giveUpAfterMs: 0 };
      await expect(migrateDatabase(url, { migrations: adding, lockTimes })).rejects.toThrow(
        /planted-0 was given up: another session holds one of its tables/,
      );
    });
    expect(await hasColumn()).toBe(false);
  });

  test('that builds an index builds it anew where an earlier attempt was broken off', async () => {
    await sql`create table shoes (size int)`.simple();
    await sql`insert into shoes values (1), (1)`;
    await sql`create unique index concurrently shoes_size on shoes (size)`.simple().catch(() => {});
    const isValid = async () =>
      (
        await sql`select indisvalid as "is" from pg_index where indexrelid = 'shoes_size'::regclass`
      )[0]?.is;
    expect(await isValid()).toBe(false);
    const statements = ['CREATE INDEX CONCURRENTLY "shoes_size" ON "shoes" USING btree ("size");'];
    const migrations = laterRelease({ statements });
    expect(await migrateDatabase(url, { migrations })).toBe(1);
    expect(await isValid()).toBe(true);
    expect(await migrateDatabase(url, { migrations })).toBe(0);
  });
});

import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import { z } from 'zod';
import { entries as migrations } from '../../migrations/meta/_journal.json';
import { emptyDatabase } from '../../test/harness/database.ts';
import { newId } from '../kernel/ids.ts';
import { createLog } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { startQueue } from '../queue/queue.ts';
import { migrateDatabase } from './migrate.ts';

const schemaFile = join(import.meta.dir, '../../test/fixtures/last-development-schema.sql');
const lastDevelopmentMigration = 1_794_781_957_430;
const migrationCount = migrations.length;

let open: SQL[] = [];
afterEach(async () => {
  await Promise.all(open.map((sql) => sql.close()));
  open = [];
});

const connect = (url: string): SQL => {
  const sql = new SQL(url, { max: 1 });
  open.push(sql);
  return sql;
};

/** A database as the development versions left it, with its first `applied` migrations recorded. */
const developmentDatabase = async (applied: number) => {
  const url = await emptyDatabase();
  const sql = connect(url);
  await sql.unsafe(await Bun.file(schemaFile).text()).simple();
  await sql`create schema drizzle`;
  await sql`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  await sql`
    insert into drizzle.__drizzle_migrations (hash, created_at)
    select 'then', ${lastDevelopmentMigration} - (21 - n) * 1000 from generate_series(1, ${applied}) as n`;
  return { url, sql };
};

/** Names and definitions of everything that a migration makes. */
const describeSchema = async (sql: SQL): Promise<string[]> => {
  const rows: { line: string }[] = await sql`
    select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default, generation_expression) as line
      from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select concat_ws(' ', conrelid::regclass::text, conname, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select oid::regprocedure::text from pg_proc
      where pronamespace = 'public'::regnamespace and prolang <> (select oid from pg_language where lanname = 'c')`;
  return rows.map(({ line }) => line).toSorted();
};

test('a database of the last development version is taken over with its rows, once', async () => {
  const { url, sql } = await developmentDatabase(21);
  const id = newId();
  await sql`insert into users (id, platform_id, username) values (${id}, '1000', 'ada')`;
  await sql`insert into blacklist (id, user_id, platform_id) values (${newId()}, ${id}, '4711')`;
  expect(await migrateDatabase(url)).toBe(migrationCount);
  const [kept] = await sql`
    select username, blacklist.platform_id as "platformId"
    from accounts join blacklist on account_id = accounts.id`;
  expect(kept).toEqual({ username: 'ada', platformId: '4711' });
  const fresh = await emptyDatabase();
  await migrateDatabase(fresh);
  expect(await describeSchema(sql)).toEqual(await describeSchema(connect(fresh)));
  expect(await migrateDatabase(url)).toBe(0);
});

test('an older development database is refused, and nothing in it is changed', async () => {
  const { url, sql } = await developmentDatabase(20);
  const before = await describeSchema(sql);
  await expect(migrateDatabase(url)).rejects.toThrow('before the last one');
  expect(await describeSchema(sql)).toEqual(before);
});

test('of two processes that start at once over a development database one takes it over', async () => {
  const { url } = await developmentDatabase(21);
  const applied = await Promise.all([migrateDatabase(url), migrateDatabase(url)]);
  expect(applied.toSorted()).toEqual([0, migrationCount]);
});

test('a development database is taken over once its queue holds no jobs, without its schedules', async () => {
  const { url, sql } = await developmentDatabase(21);
  const job = { name: 'marketplace.fulfil', payload: z.object({}) };
  const log = createLog({ write: () => undefined });
  const queue = await startQueue([job], { url, isWorker: false, log, metrics: createMetrics() });
  await queue.stop();
  await sql`insert into pgboss.schedule (name, cron) values (${job.name}, '* * * * *')`;
  await sql`insert into pgboss.job (name, data) values (${job.name}, '{"orderId":"1"}')`;
  await expect(migrateDatabase(url)).rejects.toThrow('holds 1 jobs');
  await sql`update pgboss.job set data = null`;
  expect(await migrateDatabase(url)).toBe(migrationCount);
  expect([...(await sql`select name from pgboss.schedule`)]).toEqual([]);
});

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { freshDatabase } from '../../test/harness/database.ts';
import { eventually } from '../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from './connect.ts';
import { waitForMigrationLock } from './migration-lock.ts';
import { releaseMigrationLock, tryMigrationLock } from './queries.ts';

let holder: Database;
let waiter: Database;
let told: string[];

beforeEach(async () => {
  const url = await freshDatabase();
  holder = connectDatabase(url, { name: 'a-migrator', poolSize: 1 });
  waiter = connectDatabase(url, { name: 'holdfast-test', poolSize: 1 });
  told = [];
  expect(await tryMigrationLock(holder)).toBe(true);
});

afterEach(() => Promise.all([closeDatabase(holder), closeDatabase(waiter)]));

const waitWith = (stuckAfterSeconds: number) =>
  waitForMigrationLock(waiter, (sentence) => told.push(sentence), {
    ...{ checkEveryMs: 20, reportEveryMs: 60, stuckAfterSeconds },
  });

test('a process that waits for another one’s migration reports it repeatedly, and continues afterwards', async () => {
  const waited = waitWith(60);
  await eventually(10_000, () => expect(told.length).toBeGreaterThan(2));
  expect(told[0]).toMatch(
    /^Waiting for another process that migrates the database: session \d+, a-migrator, from /,
  );
  await releaseMigrationLock(holder);
  await waited;
  expect(await tryMigrationLock(holder)).toBe(false);
});

test('an idle session that holds the migration lock is named in an error instead of being waited for', async () => {
  const [failure] = await Promise.allSettled([waitWith(0.2)]);
  const reason = failure?.status === 'rejected' ? String(failure.reason.message) : '';
  expect(reason).toMatch(
    /^Another session holds the lock of migrations and has done nothing for 0 s/,
  );
  expect(reason).toMatch(/a-migrator.*pg_terminate_backend\(\d+\)/);
});

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { sql } from 'drizzle-orm';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type SilentProxy, startSilentProxy } from '../../../test/harness/network/silent-proxy.ts';
import { connectDatabase, type Database } from '../connect.ts';
import { isConnectionLost } from '../failures.ts';

let proxy: SilentProxy;
let aside: SQL;
let db: Database;

/** Without a time-out for statements, as an operator's command has it. */
beforeEach(async () => {
  const url = await freshDatabase();
  aside = new SQL(url, { max: 1 });
  proxy = await startSilentProxy(url);
  db = connectDatabase(proxy.through(url), {
    ...{ name: 'holdfast-test', poolSize: 1, statementTimeoutMs: 0 },
    times: { silentAfterMs: 50, checkEveryMs: 20, closeSeconds: 0 },
    activityChecks: { idle: 3, unanswered: 3, answerMs: 500 },
  });
  await db.execute(sql`select 1`);
});

afterEach(async () => {
  await db.$client.close({ timeout: 0 });
  await aside.close();
  await proxy.stop();
});

const failureOf = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  );

const lock = 77;
const waiting = () =>
  eventually(10_000, async () => {
    const [row] = await aside`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    expect(row.n).toBe(1);
  });

test('a statement that PostgreSQL works on, or waits for a lock with, may take as long as it needs', async () => {
  const [slept] = await db.execute(sql`select 7 as n, pg_sleep(1)::text`);
  expect(slept?.n).toBe(7);
  await aside`select pg_advisory_lock(${lock})`;
  const asked = Promise.resolve(db.execute(sql`select 8 as n, pg_advisory_lock(${lock})::text`));
  await waiting();
  await Bun.sleep(500);
  await aside`select pg_advisory_unlock(${lock})`;
  expect((await asked)[0]?.n).toBe(8);
});

test('a statement that never arrives fails, and the next one succeeds', async () => {
  proxy.fallSilent();
  expect(isConnectionLost(await failureOf(db.execute(sql`select 1`)))).toBe(true);
  expect(await db.execute(sql`select 9 as n`)).toEqual([{ n: 9 }]);
});

test('a statement whose answer never arrives fails once PostgreSQL has finished it', async () => {
  await aside`select pg_advisory_lock(${lock})`;
  const asked = failureOf(
    db.transaction((tx) => tx.execute(sql`select pg_advisory_lock(${lock})`)),
  );
  await waiting();
  proxy.fallSilent();
  await aside`select pg_advisory_unlock(${lock})`;
  expect(isConnectionLost(await asked)).toBe(true);
});

test('a statement fails, too, where new connections get no answer either', async () => {
  proxy.holdEverything();
  expect(isConnectionLost(await failureOf(db.execute(sql`select 1`)))).toBe(true);
});

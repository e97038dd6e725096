import { afterEach, beforeEach, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { freshDatabase } from '../../test/harness/database.ts';
import {
  afterCommit,
  closeDatabase,
  connectDatabase,
  type Database,
  forRequests,
  markChanged,
} from './connect.ts';
import type { Change } from './notify/change.ts';

let db: Database;
let other: Database;
/** What was told of changes made by `db`. */
let told: Change[];

beforeEach(async () => {
  const url = await freshDatabase();
  told = [];
  db = connectDatabase(url, { name: 'holdfast-test', onChanged: (change) => told.push(change) });
  other = connectDatabase(url, { name: 'holdfast-test' });
  await db.execute(sql`create table things (id int)`);
});

afterEach(() => Promise.all([closeDatabase(db), closeDatabase(other)]));

test('an effect after the commit runs when the change is visible to others', async () => {
  let seen: Promise<unknown[]> | undefined;
  await db.transaction(async (tx) => {
    afterCommit(tx, () => {
      seen = other.execute(sql`select id from things`);
    });
    await tx.execute(sql`insert into things values (7)`);
    expect(seen).toBeUndefined();
  });
  expect(await seen).toEqual([{ id: 7 }]);
});

test('an effect after the commit does not run when the transaction is rolled back', async () => {
  let happened = false;
  const broken = db.transaction(async (tx) => {
    afterCommit(tx, () => {
      happened = true;
    });
    throw new Error('no');
  });
  expect(broken).rejects.toThrow('no');
  await broken.catch(() => undefined);
  expect(happened).toBe(false);
});

test('a change is told of once it is committed, and never if it is rolled back', async () => {
  const accountId = 'a';
  const requests = forRequests(db, () => true);
  await requests.transaction(async (tx) => {
    markChanged(tx, { accountId, serverId: 's' }, 'backups', 'audit');
    await tx.execute(sql`insert into things values (1)`);
    expect(told).toEqual([]);
  });
  const committed: Change[] = [
    { accountId, topic: 'backups:s' },
    { accountId, topic: 'audit' },
  ];
  expect(told).toEqual(committed);
  const broken = db.transaction(async (tx) => {
    markChanged(tx, { accountId }, 'servers');
    throw new Error('no');
  });
  await broken.catch(() => undefined);
  expect(told).toEqual(committed);
});

test('of two transactions in a deadlock, the aborted one is repeated', async () => {
  await db.execute(sql`insert into things values (1), (2)`);
  let runs = 0;
  let followed = 0;
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lockBoth = async (first: number, second: number, other: () => Promise<void>) => {
    let isRepeated = false;
    await db.transaction(async (tx) => {
      runs++;
      // Without this wait, the repetition could lock its first row before the other gets it.
      if (isRepeated) await other();
      isRepeated = true;
      afterCommit(tx, () => followed++);
      await tx.execute(sql`update things set id = id where id = ${first}`);
      met[first - 1]?.resolve();
      await Promise.all(met.map(({ promise }) => promise));
      await tx.execute(sql`update things set id = id where id = ${second}`);
    });
  };
  const one: Promise<void> = lockBoth(1, 2, () => two);
  const two: Promise<void> = lockBoth(2, 1, () => one);
  await Promise.all([one, two]);
  expect(runs).toBe(3);
  expect(followed).toBe(2);
});

test('a statement is not spread over several cores, however cheap that would look', async () => {
  await db.execute(sql`insert into things select generate_series(1, 1000)`);
  const plan = await db.transaction(async (tx) => {
    for (const name of [
      'parallel_setup_cost',
      'parallel_tuple_cost',
      'min_parallel_table_scan_size',
    ]) {
      await tx.execute(sql`select set_config(${name}, '0', true)`);
    }
    return tx.execute(sql`explain select count(*) from things`);
  });
  expect(JSON.stringify(plan)).toContain('Scan on things');
  expect(JSON.stringify(plan)).not.toContain('Gather');
});

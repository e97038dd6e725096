import { afterEach, beforeEach, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { freshDatabase } from '../../test/database.ts';
import { afterCommit, closeDatabase, connectDatabase, type Database } from './connect.ts';

let db: Database;
let other: Database;

beforeEach(async () => {
  const url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test' });
  other = connectDatabase(url, { name: 'holdfast-test' });
  await db.execute(sql`create table things (id int)`);
});

afterEach(() => Promise.all([closeDatabase(db), closeDatabase(other)]));

test('what is to follow a commit finds the change visible to others', async () => {
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

test('what is to follow a commit does not happen when the transaction is rolled back', async () => {
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

test('of two transactions that wait for each other, the one that is ended is run again', async () => {
  await db.execute(sql`insert into things values (1), (2)`);
  let runs = 0;
  let followed = 0;
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lockBoth = (ids: number[]) =>
    db.transaction(async (tx) => {
      runs++;
      afterCommit(tx, () => followed++);
      const [first, second] = ids;
      await tx.execute(sql`update things set id = id where id = ${first}`);
      met[(first ?? 1) - 1]?.resolve();
      await Promise.all(met.map(({ promise }) => promise));
      await tx.execute(sql`update things set id = id where id = ${second}`);
    });
  await Promise.all([lockBoth([1, 2]), lockBoth([2, 1])]);
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

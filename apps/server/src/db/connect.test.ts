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

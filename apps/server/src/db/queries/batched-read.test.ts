import { afterEach, beforeEach, expect, test } from 'bun:test';
import { and, asc, eq, lt, sql } from 'drizzle-orm';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { freshDatabase } from '../../../test/harness/database.ts';
import { closeDatabase, connectDatabase, type Database } from '../connect.ts';
import { batchedRead } from './batched-read.ts';

const things = pgTable('things', { owner: text(), place: integer() });
const readThings = batchedRead({ owner: 'text', limit: 'bigint' }, (db) =>
  db
    .select({ owner: things.owner, place: things.place })
    .from(things)
    .where(and(eq(things.owner, sql.placeholder('owner')), lt(things.place, 5)))
    .orderBy(asc(things.place))
    .limit(sql.placeholder('limit')),
);

let db: Database;
beforeEach(async () => {
  db = connectDatabase(await freshDatabase(), { name: 'holdfast-test' });
  await db.execute(sql`create table things (owner text, place int)`);
});
afterEach(() => closeDatabase(db));

const awkward = ['ann', 'b"o\\b', '{c}', 'd,e', ' ', 'NULL'];

test('each of many reads at once gets its own rows in their order, whatever its values are', async () => {
  for (const owner of awkward) {
    await db.execute(sql`insert into things select ${owner}, 9 - i from generate_series(1, 9) i`);
  }
  const asked = [...awkward, 'nobody'].map((owner, at) => ({ owner, limit: at }));
  const found = await Promise.all(asked.map((values) => readThings(db, values)));
  expect(found).toEqual(
    asked.map(({ owner, limit }) =>
      Array.from({ length: owner === 'nobody' ? 0 : Math.min(limit, 5) }, (_, place) => ({
        owner,
        place,
      })),
    ),
  );
});

test('a read that PostgreSQL refuses fails alone', async () => {
  await db.execute(sql`insert into things values ('ann', 1)`);
  const [good, bad] = await Promise.allSettled([
    readThings(db, { owner: 'ann', limit: 1 }),
    readThings(db, { owner: 'ann', limit: -1 }),
  ]);
  expect([good?.status, bad?.status]).toEqual(['fulfilled', 'rejected']);
});

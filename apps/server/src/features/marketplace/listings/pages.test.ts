import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ListingSort, listingCategories, listingSorts } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { tries } from '../../../../test/harness/tries.ts';
import { closeDatabase, connectDatabase, type Database } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { findPage } from '../queries/listing-pages.ts';
import { listings } from '../table.ts';

let service: TestService;
let sellerId: string;
/** A connection for statements that insert thousands of rows. */
let bulk: Database;
beforeAll(async () => {
  service = await startTestService();
  bulk = connectDatabase(service.databaseUrl, { name: 'holdfast-test', statementTimeoutMs: 0 });
  sellerId = (await service.newTenant()).accountId;
});
afterAll(async () => {
  await closeDatabase(bulk);
  await service.stop();
});

type Row = typeof listings.$inferSelect;

const compare: Record<ListingSort, (one: Row, other: Row) => number> = {
  newest: (one, other) => other.seq - one.seq,
  oldest: (one, other) => one.seq - other.seq,
  price_asc: (one, other) => one.priceCents - other.priceCents || one.seq - other.seq,
  price_desc: (one, other) => other.priceCents - one.priceCents || other.seq - one.seq,
  popular: (one, other) => other.salesCount - one.salesCount || other.seq - one.seq,
};

/** Few values, so that many are equal; prices also at the borders of cells. */
const look = fc.record({
  category: fc.constantFrom(...listingCategories),
  priceCents: fc.oneof(
    fc.constantFrom(0, 1, 2, 499, 500, 501, 99_999_999),
    fc.integer({ min: 0, max: 99_999_999 }),
  ),
  salesCount: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 40 })),
  isPublished: fc.boolean(),
});

const insertAll = (looks: object[]) =>
  bulk.insert(listings).values(
    looks.map((one) => ({
      ...{ id: newId(), sellerId, title: 'x', description: '', currency: 'USD' },
      ...{ category: 'BOT' as const, priceCents: 0, isPublished: true, ...one },
    })),
  );

const expectEveryPage = async (limit: number) => {
  const rows = await service.db.select().from(listings);
  for (const category of [undefined, ...listingCategories]) {
    const shown = rows.filter((row) => row.isPublished && (!category || row.category === category));
    for (const sort of listingSorts) {
      const expected = shown.toSorted(compare[sort]).map(({ seq }) => seq);
      const pages = Math.ceil(expected.length / limit);
      for (let page = 1; page <= pages + 1; page++) {
        const found = await findPage(service.db, { category, sort, page, limit });
        const from = (page - 1) * limit;
        const seqs = expected.slice(from, from + limit);
        expect({ sort, category, page, ...found }).toEqual(
          Object.assign({ sort, category, page }, { total: expected.length, seqs }),
        );
      }
    }
  }
};

test('every page of every list equals a full sort, after any changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(look, { minLength: 1, maxLength: 40 }),
      fc.array(fc.tuple(fc.nat(), look), { maxLength: 20 }),
      fc.integer({ min: 1, max: 20 }),
      async (looks, changes, limit) => {
        await bulk.delete(listings);
        await insertAll(looks);
        const rows = await service.db.select({ id: listings.id }).from(listings);
        for (const [at, { category: _, ...changed }] of changes) {
          const id = rows[at % rows.length]?.id ?? '';
          await service.db.update(listings).set(changed).where(eq(listings.id, id));
        }
        await expectEveryPage(limit);
      },
    ),
    tries(2),
  );
});

test('pages continue across chunks of ages and across prices', async () => {
  await bulk.delete(listings);
  const alike = Array.from({ length: 4000 }, (_, at) => ({ priceCents: at % 3, salesCount: 0 }));
  const apart = Array.from({ length: 1000 }, (_, at) => ({
    priceCents: at * 7,
    salesCount: at % 50,
  }));
  await insertAll(alike);
  await insertAll(apart);
  await expectEveryPage(100);
  await bulk.$client`
    update listings set is_published = seq % 7 <> 0, sales_count = (seq * 31) % 60,
      price_cents = case when seq % 2 = 0 then price_cents else (seq * 13) % 9000 end`;
  await expectEveryPage(100);
});

test('counts that reach zero are deleted', async () => {
  await bulk.delete(listings);
  const [row] = await service.db.$client`select count(*)::int as left from listing_counts`;
  expect(row.left).toBe(0);
});

test('concurrent publishing, changes and sales leave every count correct', async () => {
  await bulk.delete(listings);
  await insertAll(Array.from({ length: 30 }, () => ({ priceCents: 5 })));
  const rows = await service.db.select({ id: listings.id }).from(listings);
  const works = Array.from({ length: 60 }, (_, at) => {
    const id = rows[at % 30]?.id ?? '';
    const changed = at % 2 ? { salesCount: at } : { isPublished: at % 4 === 0, priceCents: at };
    return at % 5 === 0
      ? insertAll([{ salesCount: at }])
      : service.db.update(listings).set(changed).where(eq(listings.id, id));
  });
  await Promise.all(works);
  await expectEveryPage(100);
});

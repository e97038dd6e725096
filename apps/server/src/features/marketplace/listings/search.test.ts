import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createListing, credit, placeOrder } from '../../../../test/harness/marketplace/fixture.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { closeDatabase, connectDatabase } from '../../../db/connect.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { foldChangedListings } from '../jobs.ts';

let service: TestService;
let seller: Tenant;
beforeAll(async () => {
  service = await startTestService({ plans: plansWithoutRateLimit });
  seller = await service.newTenant();
});
afterAll(() => service.stop());

const path = '/api/v1/marketplace/listings';
type Query = Record<string, string>;

const search = async (words: string, more: Query = {}) =>
  seller.call('GET', `${path}?${new URLSearchParams({ search: words, ...more })}`);
const titlesOf = async (words: string, more: Query = {}): Promise<string[]> =>
  (await search(words, more)).body.data.map(({ title }: { title: string }) => title);

/** Texts that only this test has. */
const newMark = () => `x${crypto.randomUUID().slice(0, 8)}`;

test.each([
  ['a part of the title', 'Old lighthouse', '', 'lightho'],
  ['any case', 'OLD Lighthouse', '', 'old lighTHOUSE'],
  ['words of the description', 'Bell', 'Rings\nwith the TIDE', 'tide'],
  ['words of both, in any order', 'Brass bell', 'Rings with the tide', 'tide bell'],
  ['other letters', 'Leuchtturm ÄÖÜ', 'ΟΔΥΣΣΕΥΣ', 'äöü οδυσσευς'],
  ['signs that are not of the alphabet', '灯台', '🪝', '灯 🪝'],
  ['one letter', 'Bell', '', 'b'],
])('a search finds %s', async (_, title, description, words) => {
  const mark = newMark();
  const listing = await createListing(seller, { title, description: `${description} ${mark}` });
  const reply = await search(`${words} ${mark}`);
  expect(reply.status).toBe(200);
  expect(reply.body.data).toEqual([listing]);
  expect(reply.body.pagination).toEqual({ page: 1, limit: 20, total: 1, totalPages: 1 });
  expect(await titlesOf(`${words} ${mark} unheard`)).toEqual([]);
});

test.each(['100%', 'snake_case', 'back\\slash', "o'clock", '%', '_', '\\'])(
  'the characters of %s stand for themselves',
  async (words) => {
    const mark = newMark();
    await createListing(seller, { title: `Decoy 100x snakeXcase backslash oclock ${mark}` });
    await createListing(seller, { title: words, description: mark });
    expect(await titlesOf(`${words} ${mark}`)).toEqual([words]);
  },
);

test('no word spans the title and the description', async () => {
  const mark = newMark();
  await createListing(seller, { title: `Ends ${mark}`, description: 'begins' });
  expect(await titlesOf(`${mark}begins`)).toEqual([]);
  expect(await titlesOf(`${mark} begins`)).toHaveLength(1);
});

test('what a process of the version before saves during an update is found soon', async () => {
  const [mark, other] = [newMark(), newMark()];
  const { db } = service;
  const [made, edited] = [
    await createListing(seller, { title: `Bell ${mark}` }),
    await createListing(seller, { title: `Anchor ${mark}` }),
  ];
  await db.$client`update listings set search_text = '' where id = ${made.id}`;
  await db.$client`update listings set title = ${`Buoy ${other}`}, updated_at = now() where id = ${edited.id}`;
  expect(await titlesOf(`bell ${mark}`)).toEqual([]);
  await foldChangedListings({ db, clock: systemClock });
  expect(await titlesOf(`bell ${mark}`)).toEqual([`Bell ${mark}`]);
  expect(await titlesOf(other)).toEqual([`Buoy ${other}`]);
  expect(await titlesOf(`anchor ${mark}`)).toEqual([]);
});

test.each(['', 'x'.repeat(101), '\0'])('an invalid search is refused: %j', async (words) => {
  const reply = await search(words);
  expect(reply.status).toBe(400);
  expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['search']);
});

test('blanks alone search for nothing', async () => {
  const listing = await createListing(seller);
  const reply = await search('   ', { limit: '1' });
  expect(reply.body.data).toEqual([listing]);
});

test('an unpublished listing is not found, by its seller neither', async () => {
  const title = newMark();
  const { id } = await createListing(seller, { title, published: false });
  expect(await titlesOf(title)).toEqual([]);
  const change = (body: object) => seller.call('PUT', `${path}/${id}`, { body });
  await change({ published: true });
  expect(await titlesOf(title)).toEqual([title]);
  await change({ published: false });
  expect(await titlesOf(title)).toEqual([]);
});

test('a listing is found by what it says now', async () => {
  const [before, after, kept] = [newMark(), newMark(), newMark()];
  const { id } = await createListing(seller, { title: before, description: kept });
  await seller.call('PUT', `${path}/${id}`, { body: { title: after } });
  expect(await titlesOf(before)).toEqual([]);
  expect(await titlesOf(after)).toEqual([after]);
  expect(await titlesOf(kept)).toEqual([after]);
});

test('matches are sorted, filtered and paged like the list', async () => {
  const mark = newMark();
  const create = (title: string, priceCents: number, category: string) =>
    createListing(seller, { title, description: mark, priceCents, category });
  await create('dear', 300, 'DESIGN');
  const middle = await create('middle', 0, 'BOT');
  await seller.call('PUT', `${path}/${middle.id}`, { body: { priceCents: 200 } });
  await create('cheap', 100, 'DESIGN');
  expect(await titlesOf(mark)).toEqual(['cheap', 'middle', 'dear']);
  expect(await titlesOf(mark, { sort: 'oldest' })).toEqual(['dear', 'middle', 'cheap']);
  expect(await titlesOf(mark, { sort: 'price_desc' })).toEqual(['dear', 'middle', 'cheap']);
  expect(await titlesOf(mark, { sort: 'price_asc' })).toEqual(['cheap', 'middle', 'dear']);
  expect(await titlesOf(mark, { category: 'DESIGN' })).toEqual(['cheap', 'dear']);
  const second = await search(mark, { page: '2', limit: '2' });
  expect(second.body.data.map(({ title }: { title: string }) => title)).toEqual(['dear']);
  expect(second.body.pagination).toEqual({ page: 2, limit: 2, total: 3, totalPages: 2 });
  const beyond = await search(mark, { page: '9', limit: '2' });
  expect([beyond.body.data, beyond.body.pagination.total]).toEqual([[], 3]);
});

test('a search sorts by sales', async () => {
  const mark = newMark();
  const sold = await createListing(seller, { title: 'sold', description: mark, priceCents: 10 });
  await createListing(seller, { title: 'new', description: mark });
  const buyer = await service.newTenant();
  await credit(buyer, 10);
  const { id } = (await placeOrder(buyer, sold.id, { payWith: 'BALANCE' })).body.data;
  await seller.call('POST', `/api/v1/marketplace/orders/${id}/deliver`, {
    body: { delivered: 1 },
  });
  await buyer.call('POST', `/api/v1/marketplace/orders/${id}/confirm`);
  expect(await titlesOf(mark, { sort: 'popular' })).toEqual(['sold', 'new']);
  expect(await titlesOf(mark)).toEqual(['new', 'sold']);
});

test('a search in many listings uses the index of words', async () => {
  const { accountId } = await service.newTenant();
  // Without the time limit of a request.
  const bulk = connectDatabase(service.databaseUrl, {
    name: 'holdfast-test',
    statementTimeoutMs: 0,
  });
  await bulk.$client`
    insert into listings (id, seller_id, title, description, search_text, category, price_cents,
      currency, is_published)
    select gen_random_uuid(), ${accountId}, 'x', '', md5(at::text) || repeat(' plank', 20), 'BOT', 0,
      'USD', true
    from generate_series(1, 2000) as at`;
  // What was added last is not in the index yet.
  await bulk.$client`vacuum analyze listings`;
  const steps = await bulk.$client.begin(async (tx) => {
    // Two thousand are few enough to be read one by one.
    await tx`set local enable_seqscan = off`;
    return tx`
      explain select seq from listings
      where is_published and search_text like '%lighthouse%'`;
  });
  await closeDatabase(bulk);
  expect(JSON.stringify(steps)).toContain('listings_search');
});

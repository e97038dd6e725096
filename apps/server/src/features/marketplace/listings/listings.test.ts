import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { listingCategories } from '@holdfast/contract';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  createListing,
  insertListing,
  listingBody,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';

let service: TestService;
let seller: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
  seller = await service.newTenant();
});
afterAll(() => service.stop());

const path = '/api/v1/marketplace/listings';
const create = (tenant: Tenant, changes: object = {}) =>
  tenant.call('POST', path, { body: listingBody(changes) });
const change = (tenant: Tenant, id: string, body: object) =>
  tenant.call('PUT', `${path}/${id}`, { body });
const list = async (query = '') => (await seller.call('GET', `${path}?limit=100${query}`)).body;
const idsOf = async (query = ''): Promise<string[]> =>
  (await list(query)).data.map(({ id }: { id: string }) => id);

describe('a listing', () => {
  test('shows every field of the specification and no other', async () => {
    const reply = await create(seller, { category: 'BOT', priceCents: 0 });
    expect(reply.status).toBe(201);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(reply.body.data).toEqual({
      ...{ id: expect.any(String), ...listingBody({ category: 'BOT', priceCents: 0 }) },
      ...{
        imageUrl: null,
        deliveryType: 'MANUAL',
        salesCount: 0,
        createdAt: time,
        updatedAt: time,
      },
      seller: {
        id: seller.accountId,
        username: expect.stringContaining(seller.platformId),
        avatar: expect.stringMatching(/^https?:\/\//),
      },
    });
    expect((await list()).data).toContainEqual(reply.body.data);
    const [entry] = (await auditOf(seller)).data;
    expect(entry).toMatchObject({
      action: 'listing.create',
      subject: { type: 'listing', id: reply.body.data.id },
      changes: { category: 'BOT', priceCents: 0, isPublished: true },
    });
  });

  test.each([
    ['title', { title: '' }],
    ['title', { title: '  ' }],
    ['title', { title: 'x'.repeat(101) }],
    ['description', { description: 'x'.repeat(5001) }],
    ['description', { description: undefined }],
    ['category', { category: 'MEMBERS' }],
    ['priceCents', { priceCents: -1 }],
    ['priceCents', { priceCents: 9.99 }],
    ['priceCents', { priceCents: 100_000_000 }],
    ['currency', { currency: 'EUR' }],
    ['published', { published: 'yes' }],
    ['backupId', { category: 'TEMPLATE' }],
    ['backupId', { category: 'SERVICE', backupId: crypto.randomUUID() }],
  ])('is refused with an invalid %s', async (field, changes) => {
    const reply = await create(seller, changes);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('changes only the fields that are sent', async () => {
    const { id, createdAt } = await createListing(seller);
    const reply = await change(seller, id, { title: 'Another', priceCents: 5, category: 'DESIGN' });
    expect(reply.status).toBe(200);
    expect(reply.body.data).toMatchObject({ title: 'Another', priceCents: 5, createdAt });
    expect(reply.body.data.description).toBe(listingBody().description);
    expect((await auditOf(seller)).data[0]).toMatchObject({
      action: 'listing.update',
      changes: {
        title: { from: 'A figurehead', to: 'Another' },
        priceCents: { from: 1000, to: 5 },
      },
    });
  });

  test('that is sent unchanged adds no audit entry', async () => {
    const { id } = await createListing(seller);
    const before = (await auditOf(seller)).pagination.total;
    expect((await change(seller, id, listingBody())).status).toBe(200);
    expect((await auditOf(seller)).pagination.total).toBe(before);
  });

  test.each([
    ['category', { category: 'SERVICE' }],
    ['backupId', { backupId: crypto.randomUUID() }],
  ])('keeps its %s', async (field, body) => {
    const { id } = await createListing(seller);
    const reply = await change(seller, id, body);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('can be changed by its seller only', async () => {
    const { id } = await createListing(seller);
    const reply = await change(await service.newTenant(), id, { title: 'Mine' });
    expect([reply.status, reply.body]).toEqual([404, { error: 'Listing not found' }]);
  });

  test('is listed only while it is published', async () => {
    const { id } = await createListing(seller, { published: false });
    expect(await idsOf()).not.toContain(id);
    await change(seller, id, { published: true });
    expect(await idsOf()).toContain(id);
    await change(seller, id, { published: false });
    expect(await idsOf()).not.toContain(id);
  });
});

describe('the list', () => {
  test.each([
    ['sort', 'sort=best'],
    ['sort', 'sort=Newest'],
    ['category', 'category=template'],
    ['category', 'category='],
    ['limit', 'limit=101'],
  ])('refuses an invalid %s: %s', async (field, query) => {
    const reply = await seller.call('GET', `${path}?${query}`);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('is newest first by default, and shows the listings of others', async () => {
    const ids = [await insertListing(seller), await insertListing(seller)];
    expect((await idsOf()).slice(0, 2)).toEqual(ids.toReversed());
    expect(await idsOf('&sort=newest')).toEqual(await idsOf());
  });

  test.each([...listingCategories])('of %s holds nothing else', async (category) => {
    await insertListing(seller, { category });
    const { data, pagination } = await list(`&category=${category}`);
    expect(new Set(data.map((listing: { category: string }) => listing.category))).toEqual(
      new Set([category]),
    );
    expect(pagination.total).toBe(data.length);
    const automatic = category === 'TEMPLATE' ? 'AUTOMATIC' : 'MANUAL';
    expect(data[0].deliveryType).toBe(automatic);
  });
});

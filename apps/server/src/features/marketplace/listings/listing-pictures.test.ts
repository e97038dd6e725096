import { afterAll, beforeAll, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { formWith, smallPicture } from '../../../../test/harness/endpoints/sample-records.ts';
import { createListing, listingBody } from '../../../../test/harness/marketplace/fixture.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { expireUnusedUploads } from '../../uploads/jobs.ts';

let service: TestService;
let seller: Tenant;
beforeAll(async () => {
  service = await startTestService({ plans: plansWithoutRateLimit });
  seller = await service.newTenant({ plan: 'ENTERPRISE' });
});
afterAll(() => service.stop());

const path = '/api/v1/marketplace/listings';
const change = (id: string, body: object, tenant = seller) =>
  tenant.call('PUT', `${path}/${id}`, { body });

const upload = async (tenant = seller): Promise<{ id: string; url: string }> =>
  (await tenant.call('POST', '/api/v1/uploads', { raw: formWith(smallPicture()) })).body.data;

const statusOf = async (url: string): Promise<number> =>
  (await service.call('GET', new URL(url).pathname)).status;

const expireTomorrow = () => {
  const { log, db, queue } = service;
  const clock = { ...systemClock, now: () => new Date(Date.now() + 25 * 3_600_000) };
  return expireUnusedUploads({ log, db, queue, clock }, new AbortController().signal);
};

const listed = async (id: string) =>
  (await seller.call('GET', `${path}?limit=100`)).body.data.find(
    (listing: { id: string }) => listing.id === id,
  );

test('a listing is created with a picture, and shown with its address', async () => {
  const picture = await upload();
  const listing = await createListing(seller, { imageUploadId: picture.id });
  expect(listing.imageUrl).toBe(picture.url);
  expect(listing).not.toHaveProperty('imageUploadId');
  expect(await listed(listing.id)).toEqual(listing);
  expect((await auditOf(seller)).data[0].changes).toMatchObject({ imageUploadId: picture.id });
  const { call } = await openDashboard(service, seller);
  const [own] = (await call('GET', '/marketplace/own-listings')).body.data;
  expect(own).toEqual({ ...listing, published: true, imageUploadId: picture.id });
});

test('the picture is changed, stays where it is not named, and is removed with null', async () => {
  const [first, second] = [await upload(), await upload()];
  const { id } = await createListing(seller, { imageUploadId: first.id });
  expect((await change(id, { title: 'Renamed' })).body.data.imageUrl).toBe(first.url);
  const changed = await change(id, { imageUploadId: second.id.toUpperCase() });
  expect(changed.body.data.imageUrl).toBe(second.url);
  expect((await auditOf(seller)).data[0]).toMatchObject({
    action: 'listing.update',
    changes: { imageUploadId: { from: first.id, to: second.id } },
  });
  const entries = (await auditOf(seller)).pagination.total;
  expect((await change(id, { imageUploadId: second.id })).status).toBe(200);
  expect((await auditOf(seller)).pagination.total).toBe(entries);
  expect((await change(id, { imageUploadId: null })).body.data.imageUrl).toBeNull();
  expect((await listed(id)).imageUrl).toBeNull();
});

test('the picture stays as long as the listing, published or not; others vanish', async () => {
  const [kept, replaced, unused] = [await upload(), await upload(), await upload()];
  const { id } = await createListing(seller, { imageUploadId: replaced.id });
  await change(id, { imageUploadId: kept.id, published: false });
  await expireTomorrow();
  expect(await statusOf(kept.url)).toBe(200);
  expect(await statusOf(replaced.url)).toBe(404);
  expect(await statusOf(unused.url)).toBe(404);
  expect((await change(id, { published: true })).body.data.imageUrl).toBe(kept.url);
});

test.each([
  ['of nobody', async () => crypto.randomUUID()],
  ['of somebody else', async () => (await upload(await service.newTenant())).id],
  ['that is no id', async () => 'picture'],
])('a picture %s is refused', async (_, findId) => {
  const imageUploadId = await findId();
  const { id } = await createListing(seller);
  const total = async () => (await seller.call('GET', path)).body.pagination.total;
  const before = await total();
  for (const reply of [
    await seller.call('POST', path, { body: listingBody({ imageUploadId }) }),
    await change(id, { imageUploadId }),
  ]) {
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['imageUploadId']);
  }
  expect(await total()).toBe(before);
  expect((await listed(id)).imageUrl).toBeNull();
});

test('nobody changes the picture of another seller', async () => {
  const { id, imageUrl } = await createListing(seller, { imageUploadId: (await upload()).id });
  const other = await service.newTenant();
  const reply = await change(id, { imageUploadId: (await upload(other)).id }, other);
  expect(reply.status).toBe(404);
  expect((await listed(id)).imageUrl).toBe(imageUrl);
});

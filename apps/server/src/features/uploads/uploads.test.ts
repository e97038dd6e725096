import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { defaultPlans, type Plans } from '@holdfast/contract';
import sharp from 'sharp';
import { auditOf } from '../../../test/harness/api-calls.ts';
import { formWith, smallPicture } from '../../../test/harness/endpoints/sample-records.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';
import type { BlobStore } from '../../integrations/blobs/blob-store.ts';
import { openBlobStore } from '../../integrations/blobs/open-store.ts';
import { systemClock } from '../../kernel/clock.ts';
import { expireUnusedUploads } from './jobs.ts';

const plans: Plans = {
  ...plansWithoutRateLimit,
  PREMIUM: { ...plansWithoutRateLimit.PREMIUM, maxStorageBytes: 600 },
  ENTERPRISE: defaultPlans.ENTERPRISE,
};

let service: TestService;
let owner: Tenant;
beforeAll(async () => {
  service = await startTestService({ plans, doesWork: ['backups.release', 'account.purge'] });
  owner = await service.newTenant();
});
afterAll(() => service.stop());

const send = (tenant: Tenant, raw: BodyInit, headers: Record<string, string> = {}) =>
  tenant.call('POST', '/api/v1/uploads', { raw, headers });

const fileOf = (content: BlobPart, name = 'picture.png') => new File([content], name);

const draw = (width: number, height = width) =>
  sharp({ create: { width, height, channels: 3, background: '#b02a37' } });

const noise = (side: number) =>
  sharp(crypto.getRandomValues(new Uint8Array(side * side * 3)), {
    raw: { width: side, height: side, channels: 3 },
  })
    .png()
    .toBuffer();

const pathOf = (url: string): string => new URL(url).pathname;

const show = async (url: string) => {
  const reply = await service.call('GET', pathOf(url));
  return { ...reply, bytes: Buffer.from(reply.text, 'latin1') };
};

describe('a picture', () => {
  test('is encoded anew without its metadata and served as a picture and nothing else', async () => {
    const photo = await draw(2000, 1000)
      .withExif({ IFD0: { Copyright: 'secret' }, IFD3: { GPSLatitude: '48/1 51/1 0/1' } })
      .jpeg()
      .toBuffer();
    expect(photo.includes('secret')).toBe(true);
    const reply = await send(owner, formWith(fileOf(photo, 'holiday.exe')));
    expect(reply.status).toBe(201);
    const { id, url, width, height, bytes } = reply.body.data;
    expect([width, height]).toEqual([1600, 800]);
    expect(url).toMatch(/\/uploads\/[\w-]{43}\.webp$/);
    expect(url).not.toContain(id);

    const listening = service.listen();
    const shown = await fetch(listening.url + pathOf(url));
    const content = await shown.bytes();
    await listening.stop();
    expect(content.length).toBe(bytes);
    const { format, exif, xmp, icc } = await sharp(content).metadata();
    expect([format, exif, xmp, icc]).toEqual(['webp', undefined, undefined, undefined]);
    expect(shown.headers.get('content-type')).toBe('image/webp');
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    expect(shown.headers.get('cache-control')).toContain('immutable');
    const unchanged = await service.call('GET', pathOf(url), {
      headers: { 'if-none-match': shown.headers.get('etag') ?? '' },
    });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);

    const { data: entries } = await auditOf(owner);
    expect(entries[0]).toMatchObject({
      action: 'upload.create',
      subject: { type: 'upload', id },
    });
    const unknown = await service.call('GET', `/uploads/${'a'.repeat(43)}.webp`);
    expect(unknown.status).toBe(404);
  });

  test('loses what else its file could be taken for, and every frame but the first', async () => {
    const script = '<script>alert(1)</script><?php system(1); ?>PK\u0003\u0004';
    const pages = Array.from({ length: 3000 }, (_, at) => at % 256);
    const film = await sharp(Buffer.from(pages.flatMap((red) => [red, 0, 0])), {
      raw: { width: 1, height: pages.length, channels: 3, pageHeight: 1 },
    })
      .gif({ loop: 0 })
      .toBuffer();
    expect((await sharp(film, { pages: -1 }).metadata()).pages).toBeGreaterThan(100);
    for (const format of ['png', 'jpeg', 'webp', 'gif'] as const) {
      const picture = format === 'gif' ? film : await draw(8)[format]().toBuffer();
      const file = fileOf(Buffer.concat([picture, Buffer.from(script)]));
      const reply = await send(owner, formWith(file));
      expect([format, reply.status]).toEqual([format, 201]);
      const shown = await show(reply.body.data.url);
      expect(shown.text).not.toContain('script');
      expect(shown.text).toContain('WEBP');
    }
  });
});

/** A small PNG whose header claims that it is large. */
const pngBomb = async (side: number) => {
  const picture = await draw(1).png().toBuffer();
  picture.writeUInt32BE(side, 16);
  picture.writeUInt32BE(side, 20);
  picture.writeUInt32BE(Bun.hash.crc32(picture.subarray(12, 29)), 29);
  return fileOf(new Uint8Array(picture));
};

const tooLarge = 2 * 1024 * 1024 + 1;

const refused: [string, () => BodyInit | Promise<BodyInit>, Record<string, string>?][] = [
  ['no body', () => ''],
  ['JSON', () => '{"file":"x"}', { 'content-type': 'application/json' }],
  ['the bare picture', () => smallPicture(), { 'content-type': 'image/png' }],
  ['a form without a boundary', () => 'x', { 'content-type': 'multipart/form-data' }],
  ['a malformed form', () => '--b\r\n', { 'content-type': 'multipart/form-data; boundary=b' }],
  ['a compressed form', () => formWith(smallPicture()), { 'content-encoding': 'gzip' }],
  ['no field', () => new FormData()],
  ['text instead of a file', () => formWith('iVBORw0KGgo')],
  ['two files', () => formWith(smallPicture(), smallPicture())],
  ['an empty file', () => formWith(fileOf(''))],
  ['a file over 2 MiB', () => formWith(fileOf(new Uint8Array(tooLarge)))],
  ['a script', () => formWith(fileOf('alert(1)'))],
  [
    'an SVG with a script',
    () =>
      formWith(
        fileOf(
          '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script><rect width="9" height="9"/></svg>',
        ),
      ),
  ],
  ['a TIFF', async () => formWith(fileOf(new Uint8Array(await draw(4).tiff().toBuffer())))],
  ['an AVIF', async () => formWith(fileOf(new Uint8Array(await draw(4).avif().toBuffer())))],
  ['half a PNG', async () => formWith(fileOf(new Uint8Array((await noise(64)).subarray(0, 5000))))],
];

test.each(refused)('%s is refused on the field', async (_, body, headers = {}) => {
  const reply = await send(owner, await body(), headers);
  expect(reply.status).toBe(400);
  expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['file']);
});

test.each([
  ['claims 3,600 megapixels', () => pngBomb(60_000)],
  ['has 25 megapixels', async () => fileOf(new Uint8Array(await draw(5000).png().toBuffer()))],
])('a small file that %s is refused for them', async (_, bomb) => {
  const file = await bomb();
  expect(file.size).toBeLessThan(500_000);
  const reply = await send(owner, formWith(file));
  expect([reply.status, reply.body.details?.fieldErrors]).toEqual([
    400,
    { file: ['Must have at most 16 megapixels'] },
  ]);
});

test('50 MB are refused before they are read, and an endless body soon after', async () => {
  const listening = service.listen();
  const headers = {
    authorization: `Bearer ${owner.key}`,
    'content-type': 'multipart/form-data; boundary=b',
  };
  let sentBytes = 0;
  const endless = new ReadableStream<Uint8Array>({
    async pull(controller) {
      sentBytes += 65_536;
      controller.enqueue(new Uint8Array(65_536));
      await Bun.sleep(1);
    },
  });
  const bodies = [new Uint8Array(50_000_000), endless];
  for (const body of bodies) {
    const outcome = await fetch(`${listening.url}/api/v1/uploads`, {
      method: 'POST',
      headers,
      body,
    })
      .then(async (reply) => [reply.status, Object.keys((await reply.json()).details.fieldErrors)])
      .catch(() => 'cut off');
    expect([[400, ['file']], 'cut off']).toContainEqual(outcome);
  }
  expect(sentBytes).toBeLessThan(50_000_000);
  await listening.stop();
});

test('a repeat with the same Idempotency-Key is known by the content of its file', async () => {
  const tenant = await service.newTenant();
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const first = await send(tenant, formWith(smallPicture()), headers);
  const repeat = await send(tenant, formWith(smallPicture()), headers);
  expect(repeat.headers.get('idempotency-replayed')).toBe('true');
  expect(repeat.text).toBe(first.text);
  const other = await send(tenant, formWith(fileOf(new Uint8Array(await noise(8)))), headers);
  expect(other.status).toBe(409);
});

test('pictures count as storage, up to the limit of the plan', async () => {
  const tenant = await service.newTenant({ plan: 'PREMIUM' });
  const picture = smallPicture();
  const statuses = [];
  for (const file of [picture, picture, fileOf(new Uint8Array(await noise(64)))]) {
    statuses.push((await send(tenant, formWith(file))).status);
  }
  expect(statuses).toEqual([201, 201, 403]);
});

test('a picture that cannot be stored in time is to be sent again, and is not there', async () => {
  const store = openBlobStore({ dataDir: service.dataDir });
  const put: BlobStore['put'] = async (...blob) => {
    await Bun.sleep(5000);
    return store.put(...blob);
  };
  const slow = await startTestService({ patience: 1, blobStore: { ...store, put } });
  const tenant = await slow.newTenant();
  const { status, headers } = await send(tenant, formWith(smallPicture()));
  expect([status, headers.get('retry-after')]).toEqual([429, '5']);
  await slow.stop();
});

const storedBytes = async (tenant: Tenant): Promise<number> => {
  const [row] = await service.db.$client`
    select coalesce(sum(bytes), 0)::int as bytes from storage_used
    where account_id = ${tenant.accountId}`;
  return row.bytes;
};

/** As if so many hours had passed. */
const expire = (hours: number) => {
  const { log, db, queue } = service;
  const clock = { ...systemClock, now: () => new Date(Date.now() + hours * 3_600_000) };
  return expireUnusedUploads({ log, db, queue, clock }, new AbortController().signal);
};

test('an upload that is being stored has an hour for it', async () => {
  const tenant = await service.newTenant();
  const { id } = (await send(tenant, formWith(smallPicture()))).body.data;
  await service.db.$client`update uploads set stored_at = null where id = ${id}`;
  const rows = () => service.db.$client`select id from uploads where id = ${id}`;
  await expire(0.9);
  expect(await rows()).toHaveLength(1);
  await expire(1.1);
  expect(await rows()).toHaveLength(0);
});

test('a picture that nothing uses is deleted after a day, and its storage released', async () => {
  const tenant = await service.newTenant();
  const { id, url } = (await send(tenant, formWith(smallPicture()))).body.data;
  await expire(23);
  expect((await show(url)).status).toBe(200);
  expect(await storedBytes(tenant)).toBeGreaterThan(0);
  await Promise.all([expire(25), expire(25)]);
  expect((await show(url)).status).toBe(404);
  const { data: entries } = await auditOf(tenant);
  expect(entries.map(({ action }: { action: string }) => action).slice(0, 2)).toEqual([
    'upload.expire',
    'upload.create',
  ]);
  expect(entries[0].subject.id).toBe(id);
  await eventually(20_000, async () => expect(await storedBytes(tenant)).toBe(0));
});

test('the pictures of a deleted account are gone at once, and their objects soon', async () => {
  const tenant = await service.newTenant();
  const { url } = (await send(tenant, formWith(smallPicture()))).body.data;
  const body = { confirm: `user-${tenant.platformId}` };
  expect((await tenant.call('DELETE', '/api/v1/account', { body })).status).toBe(200);
  expect((await show(url)).status).toBe(404);
  await eventually(20_000, async () => {
    const { accountId } = tenant;
    const rows = await service.db.$client`select id from blobs where account_id = ${accountId}
      union all select id from uploads where account_id = ${accountId}`;
    expect(rows).toHaveLength(0);
  });
});

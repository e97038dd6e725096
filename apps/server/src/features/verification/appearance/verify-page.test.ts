import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { contrast, leastContrast } from '@holdfast/contract';
import fc from 'fast-check';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { formWith, smallPicture } from '../../../../test/harness/endpoints/sample-records.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { themeColors } from '../../../http/brand/tokens.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { expireUnusedUploads } from '../../uploads/jobs.ts';
import { setPicture } from '../../uploads/queries.ts';
import { darkVariantOf } from './page-style.ts';

let service: TestService;
let owner: Tenant;
beforeAll(async () => {
  service = await startTestService({ plans: plansWithoutRateLimit, doesWork: ['servers.purge'] });
  owner = await service.newTenant({ plan: 'ENTERPRISE' });
});
afterAll(() => service.stop());

const upload = async (tenant: Tenant): Promise<{ id: string; url: string }> =>
  (await tenant.call('POST', '/api/v1/uploads', { raw: formWith(smallPicture()) })).body.data;

const pageOf = (serverId: string) => `/api/v1/servers/${serverId}/verify-page`;
const change = (serverId: string, body: object) => owner.call('PUT', pageOf(serverId), { body });

const expireTomorrow = () => {
  const { log, db, queue } = service;
  const clock = { ...systemClock, now: () => new Date(Date.now() + 25 * 3_600_000) };
  return expireUnusedUploads({ log, db, queue, clock }, new AbortController().signal);
};

const statusOf = async (url: string): Promise<number> =>
  (await service.call('GET', new URL(url).pathname)).status;

const plain = {
  ...{ title: null, welcome: null, accent: null, logoUploadId: null, backgroundUploadId: null },
  ...{ logoUrl: null, backgroundUrl: null },
};

describe('the settings', () => {
  test('are all null at first, change field by field and go back', async () => {
    const id = await createServer(owner);
    const first = await owner.call('GET', pageOf(id));
    expect(first.body.data).toEqual(plain);
    const [logo, background] = [await upload(owner), await upload(owner)];
    const looks = { title: 'Ahoy', welcome: '', accent: '#2F5D62', logoUploadId: logo.id };
    expect((await change(id, looks)).body.data).toEqual({ ...plain, ...looks, logoUrl: logo.url });
    const more = await change(id, { backgroundUploadId: background.id, title: null });
    expect(more.body.data).toMatchObject({ title: null, accent: '#2F5D62', logoUrl: logo.url });
    expect((await owner.call('GET', pageOf(id))).body.data).toEqual(more.body.data);
    const { data: entries } = await auditOf(owner);
    expect(entries[0]).toMatchObject({
      action: 'verifyPage.update',
      subject: { type: 'server', id },
      changes: { title: { from: 'Ahoy', to: null } },
    });
    const nothing = { ...looks, title: null, backgroundUploadId: null, logoUploadId: null };
    await change(id, { ...nothing, welcome: null, accent: null });
    expect((await owner.call('GET', pageOf(id))).body.data).toEqual(plain);
  });

  test.each([
    [{}, undefined],
    [{ id: 'x' }, undefined],
    [{ title: '' }, 'title'],
    [{ title: 'x'.repeat(101) }, 'title'],
    [{ welcome: 'x'.repeat(1001) }, 'welcome'],
    [{ accent: 'red' }, 'accent'],
    [{ accent: '#fff' }, 'accent'],
    [{ accent: '#2F5D62;}' }, 'accent'],
    [{ accent: '#FFFFFF' }, 'accent'],
    // One step from the limit on either side: 4.48 is refused, #767676 has 4.54.
    [{ accent: '#777777' }, 'accent'],
    [{ logoUploadId: 'x' }, 'logoUploadId'],
    [{ backgroundUploadId: crypto.randomUUID() }, 'backgroundUploadId'],
  ])('refuse %o', async (body, field) => {
    const id = await createServer(owner);
    const reply = await change(id, body);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(field ? [field] : []);
    expect((await change(id, { accent: '#767676' })).status).toBe(200);
  });

  test('do not tell the upload of another account from one that never was', async () => {
    const id = await createServer(owner);
    const theirs = await upload(await service.newTenant());
    const replies = [theirs.id, crypto.randomUUID()].map((logoUploadId) =>
      change(id, { title: 'Changed', logoUploadId }),
    );
    const [notYours, notThere] = await Promise.all(replies);
    expect(notYours?.status).toBe(400);
    expect(notYours?.text).toBe(notThere?.text ?? '');
    expect((await owner.call('GET', pageOf(id))).body.data.title).toBeNull();
  });
});

test('every accent that is accepted has a readable variant for dark pages', () => {
  const color = fc.stringMatching(/^#[0-9a-f]{6}$/);
  fc.assert(
    fc.property(color, (accent) => {
      if (contrast(accent, '#ffffff') < leastContrast) return;
      const dark = darkVariantOf(accent);
      expect(contrast(dark, themeColors.dark)).toBeGreaterThanOrEqual(leastContrast);
      expect(contrast(dark, '#0b1216')).toBeGreaterThanOrEqual(leastContrast);
    }),
  );
});

describe('the page', () => {
  test('wears title, welcome, accent, logo and background, all as text', async () => {
    const id = await createServer(owner);
    const before = await service.call('GET', `/verify/${id}`);
    expect(before.text).not.toContain('style.css"/><link');
    const [logo, background] = [await upload(owner), await upload(owner)];
    const pictures = { logoUploadId: logo.id, backgroundUploadId: background.id };
    const welcome = 'Hello <script>alert(1)</script>\nsecond line \u202e';
    await change(id, { title: 'Ahoy <b>you</b>', welcome, accent: '#2F5D62', ...pictures });
    const { text, headers } = await service.call('GET', `/verify/${id}`);
    expect(text).toContain('Ahoy &lt;b&gt;you&lt;/b&gt;');
    expect(text).toContain('Hello &lt;script&gt;');
    expect(text).not.toContain('\u202e');
    expect(text).toContain(`src="${new URL(logo.url).pathname}"`);
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    const href = new RegExp(`/verify/${id}/style\\.css\\?v=\\w+`).exec(text)?.[0] ?? '';
    const style = await service.call('GET', href);
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(style.headers.get('cache-control')).toContain('immutable');
    expect(style.text).toContain('--accent: #2F5D62');
    expect(style.text).toContain(`--accent: ${darkVariantOf('#2F5D62')}`);
    expect(style.text).toContain(`url("${new URL(background.url).pathname}")`);
  });
});

describe('a picture of a page', () => {
  test('stays while it is used, and goes a day after it is not', async () => {
    const [one, other] = [await createServer(owner), await createServer(owner)];
    const { id: logoUploadId, url } = await upload(owner);
    await change(one, { logoUploadId });
    await change(other, { logoUploadId });
    await expireTomorrow();
    expect(await statusOf(url)).toBe(200);
    await Promise.all([one, other].map((id) => change(id, { logoUploadId: null })));
    expect(await statusOf(url)).toBe(200);
    await expireTomorrow();
    expect(await statusOf(url)).toBe(404);
    expect((await change(one, { logoUploadId })).status).toBe(400);
  });

  test('that is deleted and taken into use at the same moment is either there or refused', async () => {
    const holderId = await createServer(owner);
    const { id, url } = await upload(owner);
    const { accountId } = owner;
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const using = service.db.transaction(async (tx) => {
      const isUsed = await setPicture(tx, { accountId, holderId, field: 'logoUploadId' }, id);
      held.resolve();
      await released.promise;
      return isUsed;
    });
    await held.promise;
    const expiring = expireTomorrow();
    await Bun.sleep(100);
    released.resolve();
    expect(await using).toBe(true);
    await expiring;
    expect(await statusOf(url)).toBe(200);

    const pictures: string[] = [];
    while (pictures.length < 6) pictures.push((await upload(owner)).id);
    const replies = await Promise.all(
      pictures.map(async (logoUploadId) => {
        const [reply] = await Promise.all([change(holderId, { logoUploadId }), expireTomorrow()]);
        return reply;
      }),
    );
    for (const { status } of replies) expect([200, 400]).toContain(status);
    const { logoUrl } = (await owner.call('GET', pageOf(holderId))).body.data;
    expect(await statusOf(logoUrl)).toBe(200);
  });

  test('goes with its server', async () => {
    const id = await createServer(owner);
    const { id: logoUploadId, url } = await upload(owner);
    await change(id, { logoUploadId });
    await owner.call('DELETE', `/api/v1/servers/${id}`);
    const { log, db, queue } = service;
    await eventually(20_000, async () => {
      const tools = { log, db, queue, clock: systemClock };
      await expireUnusedUploads(tools, new AbortController().signal);
      expect(await statusOf(url)).toBe(404);
    });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createAnswerCheck } from './harness/answer-check.ts';
import { createServer } from './harness/bots-and-servers.ts';
import { type OwnTenant, startTestService, type TestService } from './harness/service.ts';

let service: TestService;
let tenant: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newTenant();
});
afterAll(() => service.stop());

describe('/openapi.json', () => {
  test('is compressed for those who take that, and sent once to those who have it', async () => {
    const plain = await service.call('GET', '/openapi.json');
    expect(plain.headers.get('content-type')).toStartWith('application/json');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('vary')).toBe('Accept-Encoding');
    const etag = plain.headers.get('etag') ?? '';
    expect(etag).toMatch(/"\w+"/);

    const zipped = await service.call('GET', '/openapi.json', {
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(zipped.headers.get('etag')).toBe(etag);

    const headers = { 'if-none-match': etag };
    const again = await service.call('GET', '/openapi.json', { headers });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('describes the webhooks and health', async () => {
    const { paths } = (await service.call('GET', '/openapi.json')).body;
    expect(paths).toMatchObject({
      '/api/billing/webhook': { post: { security: [] } },
      '/api/oxapay/webhook': { post: { security: [] } },
      '/healthz': { get: { security: [] } },
      '/readyz': { get: { security: [] } },
      '/metrics': { get: { security: [] } },
    });
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await service.call('GET', path)).status).toBe(200);
    }
    for (const path of ['/api/billing/webhook', '/api/oxapay/webhook']) {
      expect((await service.call('POST', path, { body: {} })).status).toBe(400);
    }
  });
});

describe('an answer that the document does not describe is noticed', () => {
  const answer = (status: number, body: unknown) => ({
    status,
    headers: new Headers({ 'content-type': 'application/json' }),
    text: JSON.stringify(body),
    body,
  });

  test('by its status, by a field that is missing, wrong or too much', async () => {
    const document = await service.call('GET', '/openapi.json');
    const check = createAnswerCheck(document.body);
    const bots =
      (body: unknown, status = 200) =>
      () =>
        check('GET', '/api/v1/bots', answer(status, body));
    expect(bots({ data: [] })).not.toThrow();
    expect(bots({ error: 'Teapot' }, 418)).toThrow(/418, which/);
    expect(bots({})).toThrow(/data/);
    expect(bots({ data: [{ id: 1 }] })).toThrow(/id/);
    expect(bots({ error: 1 }, 500)).toThrow(/error/);
    const { body } = await tenant.call('GET', '/api/v1/account');
    const account = (data: object) => () =>
      check('GET', '/api/v1/account', answer(200, { data: { ...body.data, ...data } }));
    expect(account({})).not.toThrow();
    expect(account({ createdAt: 'yesterday' })).toThrow(/createdAt/);
  });
});

test('an empty body with a JSON content type is no body', async () => {
  const serverId = await createServer(tenant);
  const headers = { 'content-type': 'application/json' };
  const empty = { raw: '', headers };
  const backup = await tenant.call('POST', `/api/v1/servers/${serverId}/backups`, empty);
  expect(backup.status).toBe(202);
  const read = await tenant.call('GET', '/api/v1/account', { headers });
  expect(read.status).toBe(200);
  const bot = await tenant.call('POST', '/api/v1/bots', empty);
  expect([bot.status, bot.body.details.formErrors]).toEqual([
    400,
    ['Send a JSON object as the body'],
  ]);
  const otherType = { raw: '', headers: { 'content-type': 'text/plain' } };
  const refused = await tenant.call('POST', `/api/v1/servers/${serverId}/backups`, otherType);
  expect(refused.status).toBe(400);
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { dashboardApiPrefix } from '@holdfast/contract';
import { insertSession } from '../src/features/sessions/queries.ts';
import { sha256Hex } from '../src/kernel/hash.ts';
import { newId, newToken } from '../src/kernel/ids.ts';
import { createServer } from './harness/bots-and-servers.ts';
import { startTestService, type TestService } from './harness/service.ts';

/** The application is reached at http://localhost:3000, as behind a proxy that ends TLS. */
const baseUrl = 'https://holdfast.example';
let service: TestService;
let plainService: TestService;
let serverId: string;
const session = newToken();
beforeAll(async () => {
  service = await startTestService({ baseUrl });
  plainService = await startTestService();
  const owner = await service.newTenant();
  serverId = await createServer(owner);
  const { platformId } = owner;
  const row = { id: newId(), tokenHash: sha256Hex(session), platformId, username: 'owner' };
  await service.db.transaction((tx) => insertSession(tx, row));
});
afterAll(async () => {
  await service.stop();
  await plainService.stop();
});

const forms = () => [
  ...['/login/code', '/me/withdraw', '/me/erase', '/logout'],
  ...['', '/check', '/appeal'].map((step) => `/verify/${serverId}${step}`),
];
const post = (path: string, origin: string | undefined) =>
  service.call('POST', path, {
    raw: 'a=b',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      host: 'localhost:3000',
      cookie: `__Host-session=${session}`,
      ...(origin !== undefined && { origin }),
    },
  });

describe('a change that a page sends', () => {
  test.each([
    undefined,
    ...['null', '', 'http://localhost:3000', 'http://holdfast.example'],
    ...['https://holdfast.example:8443', 'https://holdfast.example.evil.example'],
  ])('is refused from the origin %p', async (origin) => {
    for (const path of forms()) {
      const { status, text } = await post(path, origin);
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain('must be sent from a page of ours');
    }
    const headers: Record<string, string> = origin === undefined ? {} : { origin };
    const keys = await service.call('POST', `${dashboardApiPrefix}/keys`, { body: {}, headers });
    expect(keys.status).toBe(403);
  });

  test('is looked at from BASE_URL’s origin', async () => {
    for (const path of forms()) expect((await post(path, baseUrl)).status).not.toBe(403);
    const headers = { origin: baseUrl };
    const keys = await service.call('POST', `${dashboardApiPrefix}/keys`, { body: {}, headers });
    expect(keys.status).toBe(401);
  });
});

describe('where BASE_URL is https', () => {
  const paths = () => [
    ...['/api/v1/account', '/api/v1/none', `${dashboardApiPrefix}/account`, '/openapi.json'],
    ...['/docs', '/login', '/me', '/healthz', '/readyz', '/nowhere', '/login/callback'],
    ...[`/verify/${serverId}`, '/verify/callback?state=x&code=y', '/verify/none'],
  ];

  test('every answer tells browsers to come by encrypted connections alone', async () => {
    for (const path of paths()) {
      const { headers } = await service.call('GET', path);
      const told = headers.get('strict-transport-security');
      expect([path, told]).toEqual([path, 'max-age=31536000']);
    }
    const refused = await post('/logout', 'https://evil.example');
    expect(refused.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  test('and none does where it is not', async () => {
    for (const path of ['/api/v1/account', '/me', '/nowhere']) {
      const { headers } = await plainService.call('GET', path);
      expect(headers.get('strict-transport-security')).toBeNull();
    }
  });
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';

const baseUrl = 'http://localhost:3000';
const largestBytes = 60_000;
let service: TestService;
let socket: ReturnType<TestService['listen']>;
beforeAll(async () => {
  service = await startTestService({ baseUrl });
  socket = service.listen();
});
afterAll(async () => {
  await socket.stop();
  await service.stop();
});

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (path: string, headers: Record<string, string> = {}) =>
  service.call('GET', path, { headers });
/** Uncompressed, which is more than a browser loads. */
const sizeOf = async (path: string): Promise<number> =>
  (await (await fetch(`${socket.url}${path}`)).arrayBuffer()).byteLength;
const attributes = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(pattern)].map(([, value = '']) => value.replaceAll('&amp;', '&'));

test('the landing page is small, needs no script and no other host', async () => {
  const { status, headers, text } = await get('/', browser);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toStartWith(
    "default-src 'none'; style-src 'self'",
  );
  expect(text).not.toMatch(/<script|<style| style="| on\w+="/);
  const hosts = attributes(text, /(https?:\/\/[^/"]+)/g).filter((host) => host !== baseUrl);
  expect(hosts).toEqual([]);
  const loaded = attributes(text, /<link[^>]* href="([^"]+)"/g);
  const sizes = await Promise.all(['/', ...loaded].map(sizeOf));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(largestBytes);
  expect(attributes(text, /<img(?![^>]*loading="lazy")([^>]*)>/g)).toEqual([]);
});

test('every link and picture of the landing page leads somewhere', async () => {
  const { text } = await get('/');
  const targets = new Set(attributes(text, /(?:href|src|srcset)="([^"]+)"/g));
  for (const needed of ['/login?next=/dashboard', '/me', '/docs', '/openapi.json']) {
    expect([...targets]).toContain(needed);
  }
  for (const target of targets) {
    const [path = '', id] = target.split('#');
    // The harness serves no dashboard.
    if (path === '/dashboard') continue;
    const { status, text: page } = path === '' ? { status: 200, text } : await get(path);
    expect({ target, status }).toEqual({ target, status: path.startsWith('/login') ? 303 : 200 });
    if (id) expect(page).toContain(` id="${id}"`);
  }
});

test('an owner who is signed in gets to the dashboard, anybody else to the landing page', async () => {
  const owner = await openDashboard(service, await service.newTenant());
  const redirect = await get('/', { cookie: owner.cookie });
  expect([redirect.status, redirect.headers.get('location')]).toEqual([303, '/dashboard']);
  const member = await openDashboard(service, { platformId: randomPlatformId() });
  expect((await get('/', { cookie: member.cookie })).status).toBe(200);
  expect((await get('/', { cookie: '__Host-session=forged' })).status).toBe(200);
});

test.each([
  ['/favicon.ico', 'image/png'],
  ['/favicon.svg', 'image/svg+xml; charset=utf-8'],
  ['/brand/touch-icon.png', 'image/png'],
  ['/brand/social.png', 'image/png'],
  ['/brand/display.woff2', 'font/woff2'],
])('%s of the brand is there', async (path, type) => {
  const { status, headers } = await get(path);
  expect([status, headers.get('content-type')]).toEqual([200, type]);
});

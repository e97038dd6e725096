import { afterAll, beforeAll, expect } from 'bun:test';
import { createServer } from '../../../apps/server/test/harness/bots-and-servers.ts';
import { inBrowser, newChromium } from '../../../apps/server/test/harness/browser/chromium.ts';
import { startTestService, type TestService } from '../../../apps/server/test/harness/service.ts';
import { bundle } from '../build.ts';
import { fetchFrom } from '../test/service-fetch.ts';

const chromium = newChromium();
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  await chromium.close();
  await service.stop();
});

/** Simulates the dashboard: a page, and the same API authenticated by a cookie. */
const servePages = (script: string, key: string) =>
  Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (pathname === '/') return new Response(page, { headers: pageHeaders });
      if (pathname === '/sdk.js') return new Response(script, { headers: scriptHeaders });
      const headers = new Headers(request.headers);
      if (headers.get('cookie') === 'session=1') headers.append('authorization', `Bearer ${key}`);
      const url = `http://localhost:3000${pathname.replace('/dashboard/api', '/api/v1')}${search}`;
      const body = request.body ? await request.text() : undefined;
      return fetchFrom(service)(url, { method: request.method, headers, body });
    },
  });
const page = '<!doctype html><link rel="icon" href="data:,"><title>A page</title>';
const pageHeaders = { 'content-type': 'text/html', 'set-cookie': 'session=1; Path=/; HttpOnly' };
const scriptHeaders = { 'content-type': 'text/javascript' };

const useInPage = `(async () => {
  const { createHoldfast } = await import('/sdk.js');
  const holdfast = createHoldfast({ baseUrl: location.origin, basePath: '/dashboard/api' });
  const [{ id }] = (await holdfast.listServers()).data;
  const body = { type: 'COUNTRY', value: 'aq' };
  const { value } = await holdfast.createWhitelistRule({ params: { id }, body });
  const names = [];
  for await (const { name } of holdfast.listServers.all({ query: { limit: 1 } })) names.push(name);
  const stopped = await holdfast.getAccount({ signal: AbortSignal.abort('enough') }).catch(String);
  return { value, names, stopped };
})()`;

inBrowser('a page uses the API with its cookie alone', async () => {
  const tenant = await service.newTenant();
  await createServer(tenant, { name: 'Harbour' });
  await createServer(tenant, { name: 'Haven' });
  await using host = servePages(await bundle({ minify: true }), tenant.key);
  const window = await chromium.openWindow();
  await window.page.goto(host.url.href);
  expect(await window.page.evaluate<unknown>(useInPage)).toEqual({
    value: 'AQ',
    names: ['Haven', 'Harbour'],
    stopped: 'enough',
  });
  expect(window.complaints).toEqual([]);
  await window.close();
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { startTestService, type TestService } from '../../../test/harness/service.ts';

const baseUrl = 'https://guides.example';
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ baseUrl });
});
afterAll(() => service.stop());

const mostPictureBytes = 60_000;
const guidesUrl = new URL('../../../../../docs/guides/', import.meta.url);
const names = readdirSync(guidesUrl)
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => file.slice(0, -'.md'.length));
const paths = ['/guides', '/guides/operations', ...names.map((name) => `/guides/${name}`)];

test.each(paths)('%s is a page whose links and pictures lead somewhere', async (path) => {
  const { status, headers, text } = await service.call('GET', path);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers.get('content-security-policy')).toStartWith("default-src 'none'");
  expect(text).not.toMatch(/<script|holdfast\.example|\.md["#]/);
  expect(text.match(/<h1/g)).toHaveLength(1);
  const targets = [...text.matchAll(/ (?:href|src|srcset)="(\/[^"#]*|#[^"]*)/g)].map(
    ([, to = '']) => to,
  );
  for (const target of targets.filter((to) => to !== '/dashboard')) {
    if (target.startsWith('#')) expect(text).toContain(` id="${target.slice(1)}"`);
    else expect([target, (await service.call('GET', target)).status]).toEqual([target, 200]);
  }
});

test('pictures are small, said in words, loaded when needed, cached, and there in both schemes', async () => {
  const pages = await Promise.all(
    paths.map(async (path) => (await service.call('GET', path)).text),
  );
  const found = pages.flatMap((text) => [...text.matchAll(/<picture>(.*?)<\/picture>/gs)]);
  expect(found.length).toBeGreaterThanOrEqual(8);
  const shown: string[] = [];
  for (const [html] of found) {
    expect(html).toMatch(
      /<img alt="[^"]{40,}" src="[^"]+" width="\d+" height="\d+" loading="lazy"/,
    );
    expect(html).toMatch(/<source media="\(prefers-color-scheme: dark\)" srcset="[^"]+-dark\.webp/);
    expect(new Set([...html.matchAll(/width="\d+" height="\d+"/g)].map(String)).size).toBe(1);
    for (const [, url = ''] of html.matchAll(/ (?:src|srcset)="([^"]+)"/g)) {
      const { headers, text } = await service.call('GET', url);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-type')).toBe('image/webp');
      expect([url, text.length < mostPictureBytes]).toEqual([url, true]);
      shown.push(url.replace(/^.*\/|\?.*$/g, ''));
    }
  }
  expect(shown.sort()).toEqual(readdirSync(new URL('pictures', guidesUrl)).sort());
});

test('the first page leads to every guide, and the landing page to it', async () => {
  const { text } = await service.call('GET', '/guides');
  for (const name of [...names, 'operations']) {
    expect(text).toContain(`href="/guides/${name}"`);
  }
  expect((await service.call('GET', '/')).text).toContain('href="/guides"');
});

test('a guide leads to its parts and to the guide after it', async () => {
  const { text } = await service.call('GET', '/guides/first-server');
  expect(text).toContain('<a href="#1-create-the-application">1. Create the application</a>');
  expect(text).toContain('<a href="/guides/migrating">Next: Coming from another tool</a>');
});

test('every cell of a table says what its column is, for a phone that shows rows as blocks', async () => {
  const { text } = await service.call('GET', '/guides/operations');
  expect(text).toContain(
    '<td data-label="Signed with"><code><span class="whole">BILLING_SIGNING_SECRET</span></code>',
  );
  expect(text).not.toMatch(/<tbody>(?:(?!<\/tbody>).)*<td>/s);
});

test('addresses to be copied are those of this installation', async () => {
  const { text } = await service.call('GET', '/guides/first-server');
  expect(text).toContain(`${baseUrl}/verify/callback`);
});

test.each(['/guides/nothing', '/guides/pictures/nothing.webp', '/guides/..%2Foperations'])(
  '%s is not there',
  async (path) => {
    expect((await service.call('GET', path)).status).toBe(404);
  },
);

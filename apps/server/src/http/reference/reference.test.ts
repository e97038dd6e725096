import { describe, expect, test } from 'bun:test';
import { defaultPlans, endpoints, openApiDocument } from '@holdfast/contract';
import { Hono } from 'hono';
import type { HttpEnv } from '../context.ts';
import { mountReference } from './mount-reference.tsx';

const description = openApiDocument(endpoints, { version: '1.2.3', baseUrl: 'https://api.test' });

const appWith = (document = description): Hono<HttpEnv> => {
  const app = new Hono<HttpEnv>();
  mountReference(
    app,
    () => document,
    (plan) => defaultPlans[plan],
  );
  return app;
};

const app = appWith();
const page = await (await app.request('/docs')).text();
const addressIn = (pattern: RegExp): string => page.match(pattern)?.[1] ?? '';

describe('the reference page', () => {
  test('has every endpoint, and a link to it in the contents', () => {
    for (const [name, { summary }] of Object.entries(endpoints)) {
      expect(page).toContain(`<article class="operation" id="${name}">`);
      expect(page).toContain(`<a href="#${name}">${summary.replaceAll("'", '&#39;')}</a>`);
    }
  });

  test('has no dead links', () => {
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    const missing = targets.filter((id) => !page.includes(` id="${id}"`));
    expect(missing).toEqual([]);
  });

  test('loads only its own files and has no inline script', async () => {
    const { headers } = await app.request('/docs');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(page).not.toMatch(
      /<style|<script(?! type="module" src="\/docs\/script\.js)| style="| on\w+="/,
    );
    expect(page.length / Object.keys(endpoints).length).toBeLessThan(6500);
  });

  test('escapes every text of the contract', async () => {
    const hostile = '<img src=x onerror=alert(1)>';
    const document = { ...description, info: { ...description.info, description: hostile } };
    const text = await (await appWith(document).request('/docs')).text();
    expect(text).toContain('&lt;img src=x');
    expect(text).not.toContain(hostile);
  });

  test('is not sent again to a browser that has it', async () => {
    const etag = (await app.request('/docs')).headers.get('etag') ?? '';
    const again = await app.request('/docs', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
  });

  test('is sent compressed where the browser can read that', async () => {
    const answer = await app.request('/docs', { headers: { 'accept-encoding': 'br, gzip' } });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    const unzipped = Bun.gunzipSync(await answer.arrayBuffer());
    expect(new TextDecoder().decode(unzipped)).toBe(page);
  });
});

test('style and script are cached for ever under a URL with their hash', async () => {
  for (const pattern of [/href="(\/docs\/style[^"]+)"/, /src="(\/docs\/script[^"]+)"/]) {
    const answer = await app.request(addressIn(pattern));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('immutable');
  }
  const unnamed = await app.request('/docs/style.css');
  expect(unnamed.headers.get('cache-control')).toBe('no-cache');
});

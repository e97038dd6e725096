import { expect, test } from 'bun:test';
import { HttpError } from '../../kernel/errors.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { createHttpApp } from '../app.ts';

const logLines: string[] = [];
const app = createHttpApp({
  ...{ log: createLog({ write: (line) => logLines.push(line) }), metrics: createMetrics() },
  baseUrl: 'http://localhost:3000',
});
app.get('/broken', () => {
  throw new Error('a secret detail');
});
app.get('/api/v1/broken', () => {
  throw new Error('a secret detail');
});
app.get('/busy', () => {
  throw new HttpError(503, 'The database does not answer', {}, { 'Retry-After': '5' });
});

const ask = async (path: string, accept?: string) => {
  const response = await app.request(path, accept === undefined ? {} : { headers: { accept } });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';

test.each([
  ['/nowhere', 404, 'There is no page here'],
  ['/broken', 500, 'Something went wrong on our side'],
  ['/busy', 503, 'Not available right now'],
])('a browser gets a page for %s', async (path, status, title) => {
  const page = await ask(path, browser);
  expect(page.status).toBe(status);
  expect(page.headers.get('content-type')).toStartWith('text/html');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect(page.text).toContain(`<h1>${title}</h1>`);
  expect(page.text).not.toContain('a secret detail');
});

test('the page of a failure names the request under which it was logged', async () => {
  const { headers, text } = await ask('/broken', browser);
  const requestId = headers.get('x-request-id') ?? '';
  expect(text).toContain(`<code>${requestId}</code>`);
  expect(logLines.join()).toContain(requestId);
});

test('a refusal keeps its headers', async () => {
  expect((await ask('/busy', browser)).headers.get('retry-after')).toBe('5');
});

test.each([
  ['/nowhere', undefined, 404, { error: 'Not found' }],
  ['/nowhere', '*/*', 404, { error: 'Not found' }],
  ['/broken', 'application/json', 500, { error: 'Internal server error' }],
  ['/busy', '*/*', 503, { error: 'The database does not answer' }],
  ['/api/v1/nowhere', browser, 404, { error: 'Not found' }],
  ['/api/v1/broken', browser, 500, { error: 'Internal server error' }],
  ['/api', browser, 404, { error: 'Not found' }],
  ['/dashboard/api/nowhere', browser, 404, { error: 'Not found' }],
])('a program gets JSON for %s with Accept: %s', async (path, accept, status, body) => {
  const answer = await ask(path, accept);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text)).toEqual(body);
});

test('a member who reads another language gets the page in it', async () => {
  const headers = { accept: browser, 'accept-language': 'fr-CA, en;q=0.5' };
  const page = await (await app.request('/nowhere', { headers })).text();
  expect(page).toContain('<html lang="fr" dir="ltr">');
  expect(page).toContain('<h1>Il n’y a pas de page ici</h1>');
});

import { expect, test } from 'bun:test';
import { Hono } from 'hono';
import { eventually } from '../../test/harness/eventually.ts';
import type { HttpEnv } from './context.ts';
import { serveHttp } from './serve.ts';

test('a process that stops goes on serving, then refuses reads, and closes its port last', async () => {
  const app = new Hono<HttpEnv>();
  app.all('*', (context) => context.text('served'));
  const { url, stop } = serveHttp(app, { host: '127.0.0.1', port: 0, drainMs: 6000 });
  const ask = (path: string, method = 'GET') => fetch(`${url}${path}`, { method });

  expect((await ask('/readyz')).status).toBe(200);
  const stopped = stop();
  expect((await ask('/readyz')).status).toBe(503);
  const drained = await ask('/page');
  expect(drained.status).toBe(200);
  expect(drained.headers.get('connection')).toBe('close');

  const turnedAway = await eventually(6000, async () => {
    const answer = await ask('/page');
    expect(answer.status).toBe(503);
    return answer;
  });
  expect(turnedAway.headers.get('retry-after')).toBe('1');
  expect((await ask('/page', 'HEAD')).status).toBe(503);
  expect((await ask('/page', 'POST')).status).toBe(200);

  await stopped;
  expect(ask('/page')).rejects.toThrow();
});

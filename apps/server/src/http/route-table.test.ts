import { expect, test } from 'bun:test';
import { Hono } from 'hono';
import { createLog } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import type { HttpEnv } from './context.ts';
import { createFrame } from './frame.ts';
import { createRouteTable, mountRouteTable } from './route-table.ts';

const table = createRouteTable();
for (const path of ['/api/things', '/api/things/:id', '/api/things/:id/parts/:part']) {
  table.add('GET', path, async ({ req }) => Response.json([path, req.param()]));
}
// After the one with a parameter, which it would also fit.
table.add('GET', '/api/things/best', async () => Response.json(['best']));
const app = new Hono<HttpEnv>();
app.all('*', (context) => context.json(['other']));
const dependencies = { metrics: createMetrics(), baseUrl: 'http://localhost' };
const frame = createFrame({ log: createLog(), ...dependencies });
mountRouteTable(app, { prefix: '/api', table, frame });

const ask = async (path: string, method = 'GET') =>
  (await app.request(path, { method }, { peerAddress: () => '' })).json();

test.each<[string, unknown[]]>([
  ['/api/things', ['/api/things', {}]],
  ['/api/things?a=/b', ['/api/things', {}]],
  ['/api/things/best', ['best']],
  ['/api/things/7', ['/api/things/:id', { id: '7' }]],
  ['/api/things/a%20b', ['/api/things/:id', { id: 'a b' }]],
  ['/api/things/%2525', ['/api/things/:id', { id: '%25' }]],
  ['/api/things/7/parts/8', ['/api/things/:id/parts/:part', { id: '7', part: '8' }]],
])('%s is found in the table, with its parameters decoded once', async (path, found) => {
  expect(await ask(path)).toEqual(found);
});

test.each(['/', '/api/', '/api/things/', '/api//things', '/api/things//parts/8', '/API/things'])(
  '%s is none of its endpoints and goes to the rest of the app',
  async (path) => expect(await ask(path)).toEqual(['other']),
);

test('another method is none of its endpoints either', async () => {
  expect(await ask('/api/things', 'DELETE')).toEqual(['other']);
});

test('HEAD is answered as GET is, without the body', async () => {
  const reply = await app.request('/api/things', { method: 'HEAD' }, { peerAddress: () => '' });
  expect([reply.status, await reply.text()]).toEqual([200, '']);
});

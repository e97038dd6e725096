import { Hono } from 'hono';
import { connectDatabase } from '../../apps/server/src/db/connect.ts';
import { readServers, readUser } from '../lib/queries.ts';

/**
 * The least that could answer: one query, one JSON text. No key, no limits, no checks, no
 * measurement. It has the service's own connection settings, so that both have as many of them.
 */
const { $client: sql } = connectDatabase(process.env.DATABASE_URL ?? '', { name: 'reference' });
const app = new Hono();
app.get('/account/:accountId', async (context) =>
  context.json({ data: await readUser(sql, context.req.param('accountId')) }),
);
app.get('/servers/:accountId', async (context) =>
  context.json({ data: await readServers(sql, context.req.param('accountId')) }),
);

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch });
process.stdout.write(`{"url":"http://127.0.0.1:${server.port}"}\n`);

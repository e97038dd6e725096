/**
 * The two reads as a good engineer writes them with Fastify and `pg`: the same checks on the same rows,
 * the same answers byte by byte. Keys are remembered, requests counted in memory, queries validated by
 * schema, answers written by Fastify's own serializer, statements named and so prepared. It runs on Bun:
 * on Node 20 it took 1.2 to 1.5 times as much processor time.
 */
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { Histogram, Registry } from 'prom-client';
import {
  describeHealth,
  type HealthReason,
} from '../../../apps/server/src/features/servers/health/describe-health.ts';
import { authenticate, requireScope } from './authenticate.ts';
import { findAccount, listServers } from './queries.ts';
import { accountSchema, serversSchema } from './schemas.ts';

const { PLANS = '{}', BASE_URL = '' } = process.env;
const plans = JSON.parse(PLANS);

const registry = new Registry();
const seconds = new Histogram({
  name: 'http_request_seconds',
  help: 'Time of a request',
  labelNames: ['route', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers: [registry],
});

const app = Fastify({ genReqId: () => randomUUID() });
app.decorateRequest('caller', null);
app.addHook('onRequest', async (request, reply) => {
  reply.header('X-Request-Id', request.id);
  reply.header('X-Content-Type-Options', 'nosniff');
  reply.header('Cache-Control', 'no-store');
});
app.addHook('onRequest', authenticate(plans));
app.addHook('onResponse', async (request, reply) => {
  const route = request.routeOptions.url ?? 'none';
  seconds.labels(route, String(reply.statusCode)).observe(reply.elapsedTime / 1000);
});
app.get('/metrics', () => registry.metrics());

const accountOptions = { schema: accountSchema, preHandler: requireScope('account:read') };
app.get('/api/v1/account', accountOptions, async (request, reply) => {
  const row = await findAccount(request.caller?.accountId ?? '');
  if (!row) return reply.code(404).send({ error: 'Account not found' });
  const { servers, bots, avatar } = row;
  return {
    data: {
      ...row,
      avatar: avatar ?? `${BASE_URL}/placeholder/avatar.svg`,
      _count: { servers, customBots: bots, teams: 0 },
      subscription: row.paidPlan === row.plan ? row : grantedUntilNextMonth(row.plan),
      limits: plans[row.plan],
    },
  };
});

const grantedUntilNextMonth = (plan: string) => {
  const now = new Date();
  const currentPeriodEnd = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  const none = { trialEndsAt: null, cancelledAt: null };
  return { plan, status: 'ACTIVE', currentPeriodEnd, isTrial: false, ...none };
};

type ServersRoute = { Querystring: { page: number; limit: number } };
const serversOptions = { schema: serversSchema, preHandler: requireScope('servers:read') };
app.get<ServersRoute>('/api/v1/servers', serversOptions, async (request) => {
  const { page, limit } = request.query;
  const accountId = request.caller?.accountId ?? '';
  const { rows, total } = await listServers(accountId, limit, (page - 1) * limit);
  return {
    data: rows.map((row) => ({
      ...row,
      ...describeHealth({
        health: row.health,
        healthReasons: row.healthReasons as HealthReason[],
        isConnected: row.isConnected,
      }),
      icon: row.icon ?? `${BASE_URL}/placeholder/server.svg`,
    })),
    pagination: { page, limit, total, totalPages: Math.ceil(total / limit) },
  };
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`{"url":"${url}"}\n`);

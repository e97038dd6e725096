import { timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import type { Metrics } from '../kernel/metrics.ts';
import type { Secret } from '../kernel/secret.ts';
import type { HttpEnv } from './admission.ts';
import { bearerCredential } from './bearer.ts';

export type OperationsTools = {
  metrics: Metrics;
  metricsToken: Secret | undefined;
  isDatabaseReachable(): boolean;
  isQueueReachable(): Promise<boolean>;
};

const queueDeadlineMs = 2000;

/** What an operator's machines ask: alive, ready, how is it going. */
export const mountOperations = (app: Hono<HttpEnv>, tools: OperationsTools): void => {
  app.get('/healthz', (context) => context.json({ status: 'alive' }));

  app.get('/readyz', async (context) => {
    const database = tools.isDatabaseReachable();
    const queue = database && (await isQueueReachable(tools));
    return context.json({ database, queue }, database && queue ? 200 : 503);
  });

  app.get('/metrics', async (context) => {
    const { headers } = context.req.raw;
    if (!mayRead(tools.metricsToken, context.env.peerAddress(), headers)) {
      return context.json({ error: 'Metrics need METRICS_TOKEN, or a request from loopback' }, 403);
    }
    const { registry } = tools.metrics;
    context.header('Content-Type', registry.contentType);
    return context.body(await registry.metrics());
  });
};

const isQueueReachable = (tools: OperationsTools): Promise<boolean> =>
  Promise.race([tools.isQueueReachable(), Bun.sleep(queueDeadlineMs).then(() => false)]);

const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

const mayRead = (token: Secret | undefined, peer: string, headers: Headers): boolean => {
  const given = bearerCredential(headers.get('authorization'));
  if (token && given) return equalInTime(given, token.reveal());
  // A proxy on this machine speaks from loopback for the whole world.
  const isForwarded = forwardingHeaders.some((name) => headers.has(name));
  return !isForwarded && /^(127\.|::1$|::ffff:127\.)/.test(peer);
};

const equalInTime = (given: string, wanted: string): boolean => {
  const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
};

import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Hono } from 'hono';
import { resultWithin } from '../kernel/deadline.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { Secret } from '../kernel/secret.ts';
import { bearerToken } from './auth/api-key.ts';
import type { HttpEnv } from './context.ts';

/** The processes of one service that listen at the same port. */
export type Siblings = {
  /** The metrics of all of them, as one. */
  readMetrics(): Promise<string>;
  /** Whether each of them has served since the service started. */
  haveAllStarted(): boolean;
};

type OperationsDependencies = {
  siblings?: Siblings | undefined;
  metrics: Metrics;
  metricsToken: Secret | undefined;
  isDatabaseReachable(): boolean;
  isQueueReachable(): Promise<boolean>;
};

const queueDeadlineMs = 2000;

const [healthPath, readyPath, metricsPath] = ['/healthz', '/readyz', '/metrics'];
export const operationPaths = [healthPath, readyPath, metricsPath];

/** For the operator's monitoring: liveness, readiness, Prometheus metrics. */
export const mountOperations = (app: Hono<HttpEnv>, dependencies: OperationsDependencies): void => {
  app.get(healthPath, (context) => context.json({ status: 'alive' }));

  app.get(readyPath, async (context) => {
    const database = dependencies.isDatabaseReachable();
    const queue =
      database && (await resultWithin(queueDeadlineMs, dependencies.isQueueReachable(), false));
    const processes = dependencies.siblings?.haveAllStarted();
    const isReady = database && queue && processes !== false;
    return context.json({ database, queue, processes }, isReady ? 200 : 503);
  });

  app.get(metricsPath, async (context) => {
    if (!mayRead(dependencies.metricsToken, context.env.peerAddress(), context.req.raw)) {
      return context.json({ error: 'Metrics need METRICS_TOKEN, or a request from loopback' }, 403);
    }
    const { registry } = dependencies.metrics;
    const text = (await dependencies.siblings?.readMetrics()) ?? (await registry.metrics());
    context.header('Content-Type', registry.contentType);
    return context.body(text);
  });
};

const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

const mayRead = (token: Secret | undefined, peer: string, { url, headers }: Request): boolean => {
  const given = bearerToken(headers.get('authorization'));
  if (token && given) return equalInConstantTime(given, token.reveal());
  // A proxy on this machine forwards everyone's requests from loopback.
  const isForwarded = forwardingHeaders.some((name) => headers.has(name));
  return !isForwarded && isLoopback(peer) && isLoopbackName(new URL(url).hostname);
};

const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && /^(127\.|::1$|::ffff:127\.)/.test(address);

/** A page of a stranger can make its own name lead to this machine, and read what is served under it. */
const isLoopbackName = (hostname: string): boolean =>
  hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''));

const equalInConstantTime = (given: string, expected: string): boolean => {
  const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
};

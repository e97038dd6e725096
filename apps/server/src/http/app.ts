import { apiPrefix, dashboardApiPrefix } from '@holdfast/contract';
import { Hono, type MiddlewareHandler } from 'hono';
import { Refusal } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { HttpEnv } from './admission.ts';
import { largestBodyBytes } from './read-body.ts';

type Tools = {
  log: Log;
  metrics: Metrics;
  baseUrl: string;
  /** During an outage of the database: a moment in which to learn that it is over. */
  awaitDatabase?(): Promise<void> | undefined;
};

const yearSeconds = 365 * 24 * 60 * 60;

/** What every answer carries. Browsers come by encrypted connections alone where the service has them. */
const commonHeaders = (baseUrl: string): Record<string, string> => ({
  'X-Content-Type-Options': 'nosniff',
  ...(new URL(baseUrl).protocol === 'https:' && {
    'Strict-Transport-Security': `max-age=${yearSeconds}`,
  }),
});

/** The frame around every route: request ids, measurement, one place where failures become answers. */
export const createHttpApp = (tools: Tools): Hono<HttpEnv> => {
  const { log } = tools;
  const app = new Hono<HttpEnv>();
  app.use(frame(tools, commonHeaders(tools.baseUrl)));
  app.notFound((context) => context.json({ error: 'Not found' }, 404));
  app.onError((error, context) => {
    const { requestId, operation, headers } = context.var;
    if (error instanceof Refusal) {
      const body = { error: error.message, ...error.extra };
      return context.json(body, error.status, { ...headers, ...error.headers });
    }
    log.error({ requestId, operation, err: error }, 'request failed');
    return context.json({ error: 'Internal server error' }, 500, headers);
  });
  return app;
};

const frame =
  (
    { metrics, awaitDatabase }: Pick<Tools, 'metrics' | 'awaitDatabase'>,
    common: Record<string, string>,
  ): MiddlewareHandler<HttpEnv> =>
  async (context, next) => {
    const startedAt = performance.now();
    const requestId = newId();
    const headers: Record<string, string> = { 'X-Request-Id': requestId, ...common };
    if (mayNeverEnd(context.req.raw)) headers.Connection = 'close';
    context.set('requestId', requestId);
    context.set('operation', 'none');
    context.set('headers', headers);
    // The API puts them into its answers itself; pages and other routes get them here.
    if (!isApiPath(context.req.path)) {
      for (const [name, value] of Object.entries(headers)) context.header(name, value);
    }
    const recovery = awaitDatabase?.();
    if (recovery) await recovery;
    await next();
    const seconds = (performance.now() - startedAt) / 1000;
    metrics.observeRequest(context.get('operation'), context.res.status, seconds);
  };

const isApiPath = (path: string): boolean =>
  [apiPrefix, dashboardApiPrefix].some(
    (prefix) => path === prefix || path.startsWith(`${prefix}/`),
  );

/** A body we may not want to read to its end: the connection goes with the answer, unless we did. */
const mayNeverEnd = ({ headers }: Request): boolean =>
  headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > largestBodyBytes;

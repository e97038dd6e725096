/**
 * The HTTP layer. `serve.ts` listens and drains; this file wraps every route with a request id, common
 * headers, metrics and the one place where errors become answers. `pipeline.ts` mounts the endpoints of
 * the contract and runs each request through the same steps, which stand in `auth/` (API key, second
 * factor), `limits/` (rate limit, concurrency per account) and `endpoint/` (input, idempotency, answer).
 * `handler.ts` has the types that features implement. `events/` tells open dashboards what has changed.
 * `pages/` are HTML pages, `languages/` chooses the language of those for members, `landing/` is the one
 * at `/`, `reference/` is the API reference at /docs, `guides/` serves docs/guides, `mcp/` serves assistants, `brand/` has the design
 * tokens and the mark of all of them, `operations.ts` has health checks and metrics.
 */
import { apiPrefix, dashboardApiPrefix } from '@holdfast/contract';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { HttpError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { mountBrand } from './brand/mount-brand.ts';
import type { HttpEnv } from './context.ts';
import { largestBodyBytes } from './endpoint/read-body.ts';
import { mountLanguageSwitch } from './languages/page-language.ts';
import { asksForPage, sendErrorPage } from './pages/error-page.tsx';
import { mountPageStyle } from './pages/page.tsx';

type AppDependencies = {
  log: Log;
  metrics: Metrics;
  baseUrl: string;
  /** During an outage of the database: a short wait in which to find out that it is over. */
  awaitDatabase?(): Promise<void> | undefined;
};

const yearSeconds = 365 * 24 * 60 * 60;

/** Browsers are told to use HTTPS only where the service is reached by it. */
const commonHeaders = (baseUrl: string): Record<string, string> => ({
  'X-Content-Type-Options': 'nosniff',
  ...(new URL(baseUrl).protocol === 'https:' && {
    'Strict-Transport-Security': `max-age=${yearSeconds}`,
  }),
});

export const createHttpApp = (dependencies: AppDependencies): Hono<HttpEnv> => {
  const { log } = dependencies;
  const app = new Hono<HttpEnv>();
  app.use(frame(dependencies));
  mountBrand(app);
  mountPageStyle(app);
  mountLanguageSwitch(app);
  app.notFound(answerNotFound);
  app.onError((error, context) => {
    const { requestId, operation, headers } = context.var;
    if (error instanceof HttpError) {
      if (asksForPage(context)) return sendErrorPage(context, error.status, error.headers);
      const body = { error: error.message, ...error.extra };
      return context.json(body, error.status, { ...headers, ...error.headers });
    }
    log.error({ requestId, operation, err: error }, 'request failed');
    if (asksForPage(context)) return sendErrorPage(context, 500);
    return context.json({ error: 'Internal server error' }, 500, headers);
  });
  return app;
};

export const answerNotFound = (context: Context<HttpEnv>): Response | Promise<Response> =>
  asksForPage(context) ? sendErrorPage(context, 404) : context.json({ error: 'Not found' }, 404);

const frame = ({
  metrics,
  awaitDatabase,
  baseUrl,
}: AppDependencies): MiddlewareHandler<HttpEnv> => {
  const common = commonHeaders(baseUrl);
  return async (context, next) => {
    const startedAt = performance.now();
    const requestId = newId();
    const headers: Record<string, string> = { 'X-Request-Id': requestId, ...common };
    if (mayNeverEnd(context.req.raw)) headers.Connection = 'close';
    context.set('requestId', requestId);
    context.set('operation', 'none');
    context.set('headers', headers);
    // The pipeline puts them into its answers itself; pages and other routes get them here.
    if (!isApiPath(context.req.path)) {
      for (const [name, value] of Object.entries(headers)) context.header(name, value);
    }
    const recovery = awaitDatabase?.();
    if (recovery) await recovery;
    await next();
    const seconds = (performance.now() - startedAt) / 1000;
    metrics.observeRequest(context.get('operation'), context.res.status, seconds);
  };
};

const isApiPath = (path: string): boolean =>
  [apiPrefix, dashboardApiPrefix].some(
    (prefix) => path === prefix || path.startsWith(`${prefix}/`),
  );

/** A body that may not be read to its end: the connection is closed after the answer unless it was. */
const mayNeverEnd = ({ headers }: Request): boolean =>
  headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > largestBodyBytes;

import { apiPrefix, dashboardApiPrefix } from '@holdfast/contract';
import type { Context } from 'hono';
import { isPrimaryLost, isRefusedUnchanged } from '../db/failures.ts';
import { databaseAway, HttpError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { isTracing, logFieldsOf, within } from '../kernel/tracing.ts';
import type { HttpEnv } from './context.ts';
import { largestBodyBytes } from './endpoint/read-body.ts';
import { asksForPage, sendErrorPage } from './pages/error-page.tsx';
import { endRequestSpan, startRequestSpan } from './trace-request.ts';

export type FrameDependencies = {
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

/** What is around every answer: its id, common headers, its measured time, its trace, and errors as answers. */
export const createFrame = ({ log, metrics, awaitDatabase, baseUrl }: FrameDependencies) => {
  const common = commonHeaders(baseUrl);
  const scheme = new URL(baseUrl).protocol.slice(0, -1);

  const begin = (context: Context<HttpEnv>): Promise<void> | undefined => {
    const requestId = newId();
    const headers: Record<string, string> = { 'X-Request-Id': requestId, ...common };
    if (mayNeverEnd(context.req.raw)) headers.Connection = 'close';
    context.set('requestId', requestId);
    context.set('operation', 'none');
    context.set('headers', headers);
    if (isTracing()) context.set('span', startRequestSpan(context, { requestId, scheme }));
    // The pipeline puts them into its answers itself; pages and other routes get them here.
    if (!isApiPath(context.req.path)) {
      for (const [name, value] of Object.entries(headers)) context.header(name, value);
    }
    return awaitDatabase?.();
  };

  const run = <Result>(
    context: Context<HttpEnv>,
    handle: (context: Context<HttpEnv>) => Result,
  ): Result => (isTracing() ? within(context.get('span'), () => handle(context)) : handle(context));

  const end = (context: Context<HttpEnv>, { status }: Response, startedAt: number): void => {
    const seconds = (performance.now() - startedAt) / 1000;
    metrics.observeRequest(context.get('operation'), status, seconds);
    const span = isTracing() ? context.get('span') : undefined;
    if (span) endRequestSpan(span, context, status);
  };

  const answerError = (error: unknown, context: Context<HttpEnv>): Response | Promise<Response> => {
    const { requestId, operation, headers, span } = context.var;
    if (error instanceof HttpError) return answerRefusal(error, context);
    log.error({ requestId, operation, ...logFieldsOf(span), err: error }, 'request failed');
    if (leftAllUnchanged(error, context.req.method)) return answerRefusal(databaseAway(), context);
    if (asksForPage(context)) return sendErrorPage(context, 500);
    return context.json({ error: 'Internal server error' }, 500, headers);
  };

  return { begin, run, end, answerError };
};

export type Frame = ReturnType<typeof createFrame>;

const answerRefusal = (error: HttpError, context: Context<HttpEnv>) => {
  if (asksForPage(context)) return sendErrorPage(context, error.status, error.headers);
  const body = { error: error.message, ...error.extra };
  return context.json(body, error.status, { ...context.var.headers, ...error.headers });
};

/** A change whose connection broke may have been committed: that is not answered as if it was not. */
const leftAllUnchanged = (error: unknown, method: string): boolean =>
  isRefusedUnchanged(error) || (['GET', 'HEAD'].includes(method) && isPrimaryLost(error));

const isApiPath = (path: string): boolean =>
  [apiPrefix, dashboardApiPrefix].some(
    (prefix) => path === prefix || path.startsWith(`${prefix}/`),
  );

/** A body that may not be read to its end: the connection is closed after the answer unless it was. */
const mayNeverEnd = ({ headers }: Request): boolean =>
  headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > largestBodyBytes;

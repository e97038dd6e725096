import type { Context } from 'hono';
import { routePath } from 'hono/route';
import { type Span, startRoot } from '../kernel/tracing.ts';
import type { HttpEnv } from './context.ts';
import { operationPaths } from './operations.ts';

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Whoever asks for health and metrics asks every few seconds: that is not traced. */
export const startRequestSpan = (
  { req }: Context<HttpEnv>,
  { requestId, scheme }: { requestId: string; scheme: string },
): Span | undefined => {
  if (operationPaths.includes(req.path)) return undefined;
  const method = methodOf(req.method);
  const attributes = {
    'http.request.method': method,
    'url.scheme': scheme,
    'holdfast.request.id': requestId,
  };
  const start = { name: nameOf(method), kind: 'server' as const, attributes };
  return startRoot(start, { traceparent: req.header('traceparent') ?? null });
};

export const endRequestSpan = (span: Span, context: Context<HttpEnv>, status: number): void => {
  const route = routeOf(context);
  const method = methodOf(context.req.method);
  if (route !== undefined) {
    span.rename(`${nameOf(method)} ${route}`);
    span.set({ 'http.route': route });
  }
  span.set({ 'http.response.status_code': status });
  span.end(status >= 500 ? String(status) : undefined);
};

/** The route's pattern, never the path: that has ids and tokens. */
const routeOf = (context: Context<HttpEnv>): string | undefined => {
  const route = routePath(context);
  return route === '' || route === '*' || route === '/*' ? undefined : route;
};

/** A method that a stranger made up would be a name of its own. */
const methodOf = (method: string): string => (knownMethods.includes(method) ? method : '_OTHER');

const nameOf = (method: string): string => (method === '_OTHER' ? 'HTTP' : method);

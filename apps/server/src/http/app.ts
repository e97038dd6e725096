import { Hono, type MiddlewareHandler } from 'hono';
import { Refusal } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { HttpEnv } from './admission.ts';

/** The frame around every route: request ids, measurement, one place where failures become answers. */
export const createHttpApp = ({ log, metrics }: { log: Log; metrics: Metrics }): Hono<HttpEnv> => {
  const app = new Hono<HttpEnv>();
  app.use(frame(metrics));
  app.notFound((context) => context.json({ error: 'Not found' }, 404));
  app.onError((error, context) => {
    if (hasUnreadBody(context.req.raw)) context.header('Connection', 'close');
    if (error instanceof Refusal) {
      for (const [name, value] of Object.entries(error.headers)) context.header(name, value);
      return context.json({ error: error.message, ...error.extra }, error.status);
    }
    const { requestId, operation } = context.var;
    log.error({ requestId, operation, err: error }, 'request failed');
    return context.json({ error: 'Internal server error' }, 500);
  });
  return app;
};

const frame =
  (metrics: Metrics): MiddlewareHandler<HttpEnv> =>
  async (context, next) => {
    const startedAt = performance.now();
    const requestId = newId();
    context.set('requestId', requestId);
    context.set('operation', 'none');
    context.header('X-Request-Id', requestId);
    context.header('X-Content-Type-Options', 'nosniff');
    await next();
    const seconds = (performance.now() - startedAt) / 1000;
    const { operation } = context.var;
    metrics.requestSeconds.observe({ operation, status: context.res.status }, seconds);
  };

/** A refused upload is cut off instead of being read to its end. */
const hasUnreadBody = (request: Request): boolean => {
  const length = Number(request.headers.get('content-length') ?? 0);
  return length > 256 * 1024 || (request.headers.has('transfer-encoding') && !request.bodyUsed);
};

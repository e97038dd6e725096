import { createMiddleware } from 'hono/factory';
import { z } from 'zod';
import type { PlatformApp, PlatformContext, PlatformEnv } from '../platform.ts';

/** Limits the control API to programs of this machine. */
export const guardControl = (app: PlatformApp) => {
  app.use('/__sim/*', allowLoopbackOnly, refuseBrowsers, requireJson);
};

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** `app.request` in tests uses no socket, so there is no address: allowed. */
const allowLoopbackOnly = createMiddleware<PlatformEnv>(async (c, next) => {
  const address = c.env?.remoteAddress;
  if (address !== undefined && !LOOPBACK.test(address)) {
    return c.json({ message: 'Control is for this machine only.' }, 403);
  }
  await next();
});

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * A page of another site could reach this machine through its visitor's browser. The browser then
 * sends an `Origin` with every change; a DNS name that points here (rebinding) shows in `Host`.
 */
const refuseBrowsers = createMiddleware<PlatformEnv>(async (c, next) => {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  if (!LOOPBACK_HOST.test(host)) {
    return c.json({ message: 'Control answers to loopback names only.' }, 403);
  }
  if (c.req.header('origin') !== undefined) {
    return c.json({ message: 'Control is not for pages.' }, 403);
  }
  await next();
});

/** Forms and simple requests of a page cannot have this content type. */
const requireJson = createMiddleware<PlatformEnv>(async (c, next) => {
  const hasBody = c.req.method === 'PUT' || c.req.method === 'POST';
  const type = c.req.header('content-type') ?? '';
  if (hasBody && !/^application\/json\s*(;|$)/i.test(type)) {
    return c.json({ message: 'Send JSON: Content-Type: application/json.' }, 415);
  }
  await next();
});

/** A handler that gets the parsed body; a body that does not fit the schema is answered 400. */
export const withBody =
  <Schema extends z.ZodType>(
    schema: Schema,
    handle: (body: z.output<Schema>, c: PlatformContext) => Response | Promise<Response>,
  ) =>
  async (c: PlatformContext): Promise<Response> => {
    const parsed = schema.safeParse(await c.req.json().catch(() => undefined));
    if (parsed.success) return handle(parsed.data, c);
    return c.json({ message: 'Invalid body.', details: z.flattenError(parsed.error) }, 400);
  };

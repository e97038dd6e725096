import type { Hono } from 'hono';
import type { HttpEnv } from './admission.ts';

/** Longer than any honest client is silent; shorter than an attacker needs it. */
const idleSeconds = 10;
/** While a body is read its own, shorter deadline counts, so that the refusal can still be sent. */
const bodySeconds = 30;
const drainMs = 10_000;

/** Listens. Headers that do not arrive in time, or are malformed, are cut off before they reach us. */
export const serveHttp = (app: Hono<HttpEnv>, { host, port }: { host: string; port: number }) => {
  const server = Bun.serve({
    hostname: host,
    port,
    development: false,
    idleTimeout: idleSeconds,
    // Refused by our own readers instead, so that the answer carries its headers.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch(request, listener) {
      if (isAmbiguous(request)) return badRequest();
      if (request.method !== 'GET') listener.timeout(request, bodySeconds);
      return app.fetch(request, { peerAddress: () => listener.requestIP(request)?.address ?? '' });
    },
  });
  return {
    url: `http://${host === '127.0.0.1' ? 'localhost' : host}:${server.port}`,
    /** No new connections; requests in flight finish, within reason. */
    async stop() {
      const drained = server.stop();
      await Promise.race([drained, Bun.sleep(drainMs)]);
      await server.stop(true);
    },
  };
};

/** Two Host headers reach us joined; a Host that is none leaves the URL without one. */
const isAmbiguous = (request: Request): boolean =>
  (request.headers.get('host') ?? '').includes(',') || !request.url.startsWith('http');

const badRequest = (): Response =>
  Response.json({ error: 'Bad request' }, { status: 400, headers: { Connection: 'close' } });

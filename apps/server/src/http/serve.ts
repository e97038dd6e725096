import type { Hono } from 'hono';
import type { HttpEnv } from './admission.ts';

/** Longer than any honest client is silent; shorter than an attacker needs it. */
const idleSeconds = 10;
/** While a body is read its own, shorter deadline counts, so that the refusal can still be sent. */
const bodySeconds = 30;
const drainMs = 10_000;

/** Listens. Headers that do not arrive in time, or are malformed, are cut off before they reach us. */
export const serveHttp = (app: Hono<HttpEnv>, { host, port }: { host: string; port: number }) => {
  const server = listen({
    hostname: host,
    port,
    development: false,
    // Two services on one port would share its requests at random.
    reusePort: false,
    idleTimeout: idleSeconds,
    // Refused by our own readers instead, so that the answer carries its headers.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch(request, listener) {
      if (isAmbiguous(request)) return badRequest();
      if (request.method !== 'GET') listener.timeout(request, bodySeconds);
      const peerAddress = () => listener.requestIP(request)?.address ?? '';
      // Answered as a GET; the listener leaves the body out and keeps its length.
      const asked = request.method === 'HEAD' ? new Request(request, { method: 'GET' }) : request;
      return app.fetch(asked, { peerAddress });
    },
  });
  return {
    url: `http://${nameOf(host)}:${server.port}`,
    /** No new connections; requests in flight finish, within reason. */
    async stop() {
      const drained = server.stop();
      await Promise.race([drained, Bun.sleep(drainMs)]);
      await server.stop(true);
    },
  };
};

const listen = (options: Bun.Serve.Options<undefined> & { port: number }) => {
  try {
    return Bun.serve(options);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw isTaken
      ? new Error(`Port ${options.port} is in use by another program: set PORT to a free one`)
      : error;
  }
};

const nameOf = (host: string): string => {
  if (host === '127.0.0.1') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
};

/** Two Host headers reach us joined; a Host that is none leaves the URL without one. */
const isAmbiguous = (request: Request): boolean =>
  (request.headers.get('host') ?? '').includes(',') || !request.url.startsWith('http');

const badRequest = (): Response =>
  Response.json({ error: 'Bad request' }, { status: 400, headers: { Connection: 'close' } });

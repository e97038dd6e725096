import type { Hono } from 'hono';
import type { HttpEnv } from './admission.ts';

/** Longer than any honest client is silent; shorter than an attacker needs it. */
const idleSeconds = 10;
/** While a body is read its own, shorter deadline counts, so that the refusal can still be sent. */
const bodySeconds = 30;
/** The last part of the drain, in which reads are turned away. `docs/edge/nginx.conf` counts on it. */
const turnAwayShare = 1 / 3;
/** How long requests in flight may take to finish once no new ones come in. */
const finishMs = 10_000;

type ListenOptions = {
  host: string;
  port: number;
  /** How long to go on serving after `stop`, so that a load balancer can look elsewhere first. */
  drainMs?: number;
};

/**
 * Listens. Headers that do not arrive in time, or are malformed, are cut off before they reach us.
 *
 * Stopping has three phases. First it serves as before, but `/readyz` answers 503 and every answer closes its
 * connection: a load balancer that asks for health takes this process out. Then reads are answered with 503
 * as well: a load balancer that judges by answers repeats them elsewhere and sends nothing more. Only then
 * does the port close, because what is on its way to a closing port is lost, and a write is never repeated.
 */
export const serveHttp = (app: Hono<HttpEnv>, { host, port, drainMs = 0 }: ListenOptions) => {
  let phase: 'serving' | 'draining' | 'turningAway' = 'serving';
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
      if (phase === 'turningAway' && isRead(request)) return stopping();
      if (phase === 'draining' && new URL(request.url).pathname === '/readyz') return stopping();
      if (request.method !== 'GET') listener.timeout(request, bodySeconds);
      const peerAddress = () => listener.requestIP(request)?.address ?? '';
      // Answered as a GET; the listener leaves the body out and keeps its length.
      const asked = request.method === 'HEAD' ? new Request(request, { method: 'GET' }) : request;
      const response = app.fetch(asked, { peerAddress });
      return phase === 'serving' ? response : closingAfter(response);
    },
  });
  return {
    url: `http://${nameOf(host)}:${server.port}`,
    async stop() {
      phase = 'draining';
      await Bun.sleep(drainMs * (1 - turnAwayShare));
      phase = 'turningAway';
      await Bun.sleep(drainMs * turnAwayShare);
      const finished = server.stop();
      await Promise.race([finished, Bun.sleep(finishMs)]);
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

const closingAfter = async (answer: Response | Promise<Response>): Promise<Response> => {
  const response = await answer;
  response.headers.set('Connection', 'close');
  return response;
};

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

const stopping = (): Response =>
  Response.json(
    { error: 'This process is stopping: ask again' },
    { status: 503, headers: { Connection: 'close', 'Retry-After': '1' } },
  );

const badRequest = (): Response =>
  Response.json({ error: 'Bad request' }, { status: 400, headers: { Connection: 'close' } });

import type { Hono } from 'hono';
import { errorCode } from '../kernel/describe-error.ts';
import type { HttpEnv } from './context.ts';

/** Longer than a well-behaved client pauses; too short to keep many idle connections open. */
const idleSeconds = 10;
/** While a body is read its own, shorter deadline holds, so that the error can still be sent. */
const bodySeconds = 30;
/** The last part of the drain, in which reads are refused. `docs/edge/nginx.conf` relies on it. */
const refuseShare = 1 / 3;
/** How long requests in flight may take to finish once the port is closed. */
const finishMs = 10_000;

type ListenOptions = {
  host: string;
  port: number;
  /** With the other processes of one service, which all set this. */
  sharesPort?: boolean;
  /** How long to go on serving after `stop`, so that a load balancer can switch first. */
  drainMs?: number;
  /** When reads are refused: what is sent without an end must end now, and is opened again elsewhere. */
  onRefusing?(): void;
};

/**
 * Listens. Bun drops connections whose headers are malformed or do not arrive in time.
 *
 * Stopping has three phases. `draining`: requests are served, but `/readyz` answers 503 and every answer
 * closes its connection, so that a load balancer with health checks takes this process out. `refusing`:
 * reads get 503 as well, so that a load balancer which judges by answers repeats them elsewhere and sends
 * nothing more. Then the port closes: a request on its way to a closing port is lost, and a write is
 * never repeated.
 */
export const serveHttp = (app: Hono<HttpEnv>, options: ListenOptions) => {
  const { host, port, sharesPort = false, drainMs = 0, onRefusing } = options;
  let phase: 'serving' | 'draining' | 'refusing' = 'serving';
  const server = listen({
    hostname: host,
    port,
    development: false,
    // Otherwise two services on one port would share its requests at random.
    reusePort: sharesPort,
    idleTimeout: idleSeconds,
    // `read-body.ts` refuses large bodies, so that the answer carries its headers.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch(request, listener) {
      if (isAmbiguous(request)) return badRequest();
      if (phase === 'refusing' && isRead(request)) return stopping();
      if (phase === 'draining' && new URL(request.url).pathname === '/readyz') return stopping();
      if (request.method !== 'GET') listener.timeout(request, bodySeconds);
      const peerAddress = () => listener.requestIP(request)?.address ?? '';
      // Handled as a GET; Bun leaves the body out and keeps its length.
      const handled = request.method === 'HEAD' ? new Request(request, { method: 'GET' }) : request;
      const keepOpen = (seconds: number) => listener.timeout(request, seconds);
      const response = app.fetch(handled, { peerAddress, keepOpen });
      return phase === 'serving' ? response : closingAfter(response);
    },
  });
  return {
    url: `http://${nameOf(host)}:${server.port}`,
    async stop() {
      phase = 'draining';
      await Bun.sleep(drainMs * (1 - refuseShare));
      phase = 'refusing';
      onRefusing?.();
      await Bun.sleep(drainMs * refuseShare);
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
    throw errorCode(error) === 'EADDRINUSE'
      ? new Error(`Port ${options.port} is in use by another program: set PORT to a free one`)
      : error;
  }
};

const nameOf = (host: string): string => {
  if (host === '127.0.0.1') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
};

/** Two Host headers arrive joined by a comma; an invalid Host leaves the URL without one. */
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

import type { Moment } from '../../nemesis/lane/kill.ts';
import type { ServiceProcess } from '../service-process.ts';

type Kill = { nth: number; when: Moment; victim: ServiceProcess };

export type KillProxy = {
  endpoint: string;
  /** Counts from now on, and kills at the nth request that counts. */
  arm(kill?: Kill): void;
  /** Requests that counted, since it was last armed. */
  seen(): number;
  stop(): Promise<void>;
};

type ProxyOptions = {
  target: string;
  /** Every request counts where this is left out. */
  counts?: (request: Request) => boolean;
  /** Else the target is asked under its own name, and tells it: so a gateway is reached without the proxy. */
  isHostKept?: boolean;
};

const answerSentAfterMs = 2;

/**
 * Stands between the service and what it speaks to, and knows the moments of every request: before it
 * arrives, when it was answered but the answer is not sent yet, and when it is.
 */
export const startKillProxy = ({
  target,
  counts = () => true,
  isHostKept = true,
}: ProxyOptions): KillProxy => {
  let kill: Kill | undefined;
  let seen = 0;
  const killIfDue = (when: Moment, nth: number): boolean => {
    if (kill?.when !== when || kill.nth !== nth) return false;
    kill.victim.kill('SIGKILL');
    return true;
  };
  const pass = (request: Request) => forward(target, request, isHostKept);
  const watch = async (request: Request, nth: number): Promise<Response> => {
    if (killIfDue('before', nth)) return new Response(null, { status: 503 });
    const answer = await pass(request);
    killIfDue('afterApply', nth);
    setTimeout(() => killIfDue('afterAnswer', nth), answerSentAfterMs);
    return answer;
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      if (!counts(request)) return pass(request);
      seen += 1;
      return watch(request, seen);
    },
  });
  return {
    endpoint: server.url.origin,
    arm(next) {
      seen = 0;
      kill = next;
    },
    seen: () => seen,
    stop: () => server.stop(true),
  };
};

const forward = async (
  target: string,
  request: Request,
  isHostKept: boolean,
): Promise<Response> => {
  const { pathname, search } = new URL(request.url);
  const body = await request.arrayBuffer();
  const sent = new Headers(request.headers);
  // The host is part of what an S3 client signs.
  if (!isHostKept) sent.delete('host');
  const answer = await fetch(`${target}${pathname}${search}`, {
    method: request.method,
    headers: sent,
    body: body.byteLength > 0 ? body : undefined,
    redirect: 'manual',
  });
  const bytes = await answer.arrayBuffer();
  const headers = new Headers(answer.headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) {
    headers.delete(name);
  }
  return new Response(bytes, { status: answer.status, headers });
};

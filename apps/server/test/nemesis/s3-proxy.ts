import type { ServiceProcess } from '../process.ts';
import type { Moment } from './kill.ts';

type Kill = { nth: number; when: Moment; victim: ServiceProcess };

export type S3Proxy = {
  endpoint: string;
  /** Counts blob writes from now on, and kills at the nth of them. */
  arm(kill?: Kill): void;
  writes(): number;
  stop(): Promise<void>;
};

/** Owns what a starting service writes to see whether its store works. */
const probesOf = '/00000000-0000-0000-0000-000000000000/';
const answerSentAfterMs = 2;

/** Stands between the service and its store, as the simulator does between it and the platform. */
export const startS3Proxy = (target: string): S3Proxy => {
  let kill: Kill | undefined;
  let seen = 0;
  const killIfDue = (when: Moment, nth: number): boolean => {
    if (kill?.when !== when || kill.nth !== nth) return false;
    kill.victim.kill('SIGKILL');
    return true;
  };
  const write = async (request: Request, nth: number): Promise<Response> => {
    if (killIfDue('before', nth)) return new Response(null, { status: 503 });
    const answer = await forward(target, request);
    killIfDue('afterApply', nth);
    setTimeout(() => killIfDue('afterAnswer', nth), answerSentAfterMs);
    return answer;
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      const isWrite = request.method === 'PUT' && !request.url.includes(probesOf);
      if (!isWrite) return forward(target, request);
      seen += 1;
      return write(request, seen);
    },
  });
  return {
    endpoint: server.url.origin,
    arm(next) {
      seen = 0;
      kill = next;
    },
    writes: () => seen,
    stop: () => server.stop(true),
  };
};

const forward = async (target: string, request: Request): Promise<Response> => {
  const { pathname, search } = new URL(request.url);
  // The host is part of what was signed.
  const answer = await fetch(`${target}${pathname}${search}`, {
    method: request.method,
    headers: request.headers,
    body: request.method === 'PUT' ? await request.arrayBuffer() : undefined,
  });
  const bytes = await answer.arrayBuffer();
  const headers = new Headers(answer.headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) {
    headers.delete(name);
  }
  return new Response(bytes, { status: answer.status, headers });
};

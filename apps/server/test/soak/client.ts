import { request } from '../harness/running-service.ts';
import type { CallOptions, Reply } from '../harness/service.ts';
import { type Installation, ofRole } from './installation.ts';
import type { KeptProcess } from './kept-process.ts';
import type { Protocol } from './protocol.ts';

/**
 * A client as it should be written: it repeats what failed, at another process, with the same
 * `Idempotency-Key`. A failure while neither that process nor the database was away is told.
 */
export type Client = {
  call(method: string, path: string, options?: CallOptions): Promise<Reply & { tries: number }>;
};

const repeatAfterMs = 200;
const answeredWithinMs = 60_000;

export const createClient = (
  installation: Installation,
  key: string,
  { count, fail }: Protocol,
): Client => {
  const processes = ofRole(installation, 'api');
  let turn = 0;
  const next = (): KeptProcess => {
    const one = processes[turn++ % processes.length];
    if (!one) throw new Error('No process serves the API');
    return one;
  };
  const judge = (one: KeptProcess, sentAt: number, reply: Reply | string, what: string): void => {
    const isAskedAgain = typeof reply !== 'string' && reply.status === 503;
    const isExpected =
      one.wasAwaySince(sentAt) ||
      installation.postgres.wasAwaySince(sentAt) ||
      (isAskedAgain && installation.processes.some((any) => any.wasFrozenSince(sentAt)));
    count('requests repeated');
    if (!isExpected) fail(`${what} by ${one.name} while nothing was away`);
  };
  return {
    async call(method, path, options = {}) {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
        ...options.headers,
      };
      const deadline = Date.now() + answeredWithinMs;
      for (let tries = 1; ; tries++) {
        const one = next();
        const sentAt = Date.now();
        const reply = await request(one.url, method, path, { ...options, headers }).catch(
          (error: unknown) => String(error),
        );
        if (typeof reply !== 'string' && !isToBeRepeated(reply)) {
          count('requests answered');
          return { ...reply, tries };
        }
        const outcome = typeof reply === 'string' ? reply : `${reply.status} ${reply.text}`;
        if (typeof reply === 'string' || reply.status >= 500) {
          judge(one, sentAt, reply, `${method} ${path}: ${outcome}`);
        }
        if (Date.now() > deadline) throw new Error(`${method} ${path}: ${outcome}`);
        await Bun.sleep(repeatAfterMs);
      }
    },
  };
};

/** Also what was refused because its first try is still under way. */
const isToBeRepeated = ({ status, text }: Reply): boolean =>
  status >= 500 || (status === 409 && text.includes('still running'));

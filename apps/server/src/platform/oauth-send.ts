import { DefaultUserAgent } from '@discordjs/rest';
import type { Breaker } from './breaker.ts';
import { PlatformFailure } from './failures.ts';
import type { PlatformMetrics } from './metrics.ts';
import { unreachable } from './oauth-failures.ts';
import { actingAccount } from './on-behalf-of.ts';
import { fetchLimited } from './transport.ts';

/** Two hundred servers of one person are a fifth of this. */
const largestAnswerBytes = 1024 * 1024;

export type SendTools = { metrics: PlatformMetrics; breaker?: Breaker };

type Request = {
  method: string;
  headers: Record<string, string>;
  /** A form, if anything. */
  body?: unknown;
  signal?: AbortSignal;
};

/** One attempt, counted. Gives only answers that say something about the request itself. */
export const createSend =
  ({ metrics, breaker }: SendTools) =>
  async (url: string, { method, headers, body, signal }: Request): Promise<Response> => {
    // The platform turns away whoever does not name itself in its own way, as the bots do.
    const named = { ...headers, 'user-agent': DefaultUserAgent };
    const form = body instanceof URLSearchParams ? body : undefined;
    const request = { method, headers: named, body: form, signal };
    const send = () =>
      fetchLimited(url, request, largestAnswerBytes).catch((error: unknown) => {
        throw unreachable(error);
      });
    const response = await (breaker ? breaker.admit(actingAccount(), send) : send());
    const { status } = response;
    metrics.countCall(method, new URL(url).pathname, status);
    if (status === 429) throw rateLimited(response);
    if (status >= 500) throw new PlatformFailure('unreachable', { status });
    return response;
  };

const rateLimited = ({ status, headers }: Response): PlatformFailure => {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = seconds >= 0 ? seconds * 1000 : undefined;
  return new PlatformFailure('rateLimited', { status, retryAfterMs });
};

import { DefaultUserAgent } from '@discordjs/rest';
import type { Breaker } from '../client/breaker.ts';
import { actingAccount } from '../client/breaker.ts';
import { fetchLimited } from '../client/transport.ts';
import { PlatformFailure } from '../failures.ts';
import type { PlatformMetrics } from '../metrics.ts';
import { traceCall } from '../trace-call.ts';
import { unreachable } from './failures.ts';

/** A page of two hundred guilds is a fifth of this. */
const largestAnswerBytes = 1024 * 1024;

export type SendDependencies = { metrics: PlatformMetrics; breaker?: Breaker };

type Request = {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
};

/** One attempt, counted. Returns only answers about the request itself; 429 and 5xx throw. */
export const createSend =
  ({ metrics, breaker }: SendDependencies) =>
  (url: string, { method, headers, body, signal }: Request): Promise<Response> => {
    const { pathname: path } = new URL(url);
    // The platform refuses requests without a user agent in its own format.
    const named = { ...headers, 'user-agent': DefaultUserAgent };
    const form = body instanceof URLSearchParams ? body : undefined;
    const request = { method, headers: named, body: form, signal };
    const send = () =>
      fetchLimited(url, request, largestAnswerBytes).catch((error: unknown) => {
        throw unreachable(error);
      });
    return traceCall({ method, url, path }, async () => {
      const response = await (breaker
        ? breaker.admit({ accountId: actingAccount() }, send)
        : send());
      const { status } = response;
      metrics.countCall(method, path, status);
      if (status === 429) throw rateLimited(response);
      if (status >= 500) throw new PlatformFailure('unreachable', { status });
      return response;
    });
  };

const rateLimited = ({ status, headers }: Response): PlatformFailure => {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = seconds >= 0 ? seconds * 1000 : undefined;
  return new PlatformFailure('rateLimited', { status, retryAfterMs });
};

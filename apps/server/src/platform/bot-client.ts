import {
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  REST,
  type ResponseLike,
  type RouteLike,
} from '@discordjs/rest';
import type { z } from 'zod';
import type { Secret } from '../kernel/secret.ts';
import type { Breaker } from './breaker.ts';
import { failureOf, PlatformFailure } from './failures.ts';
import type { PlatformMetrics } from './metrics.ts';
import { fetchLimited } from './transport.ts';

export type Call<Answer> = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the versioned API root, such as `/guilds/1/roles`. */
  path: `/${string}`;
  query?: Record<string, string>;
  body?: unknown;
  /** What the answer must look like; it is given on as parsed. An answer of 204 is `undefined`. */
  answer: z.ZodType<Answer>;
  signal?: AbortSignal;
};

/** The platform as one bot sees it. */
export type BotClient = { call<Answer>(call: Call<Answer>): Promise<Answer> };

export type BotClientTools = {
  apiUrl: string;
  breaker: Breaker;
  metrics: PlatformMetrics;
  /** How long one attempt may take. */
  timeoutMs?: number;
};

const attempts = 4;
const firstBackOffMs = 500;
const longestWaitMs = 60_000;

/**
 * Keeps to the platform's buckets and its global limit by the headers it sends, one queue per bucket.
 * A bot whose token was refused once is never used again.
 */
export const createBotClient = (token: Secret, tools: BotClientTools): BotClient => {
  let isDead = false;
  const { breaker, metrics } = tools;
  const rest = new REST({
    api: tools.apiUrl,
    version: '10',
    retries: 0,
    timeout: tools.timeoutMs ?? 15_000,
    rejectOnRateLimit: ({ timeToReset, retryAfter }) =>
      Math.max(timeToReset, retryAfter) > longestWaitMs,
    makeRequest: async (url, init) => {
      const response = await fetchLimited(url, requestInit(init));
      breaker.note(response.status);
      metrics.countCall(init.method ?? 'GET', new URL(url).pathname, response.status);
      if (response.status === 401) isDead = true;
      // The same web standard, in another library's words.
      return response as unknown as ResponseLike;
    },
  }).setToken(token.reveal());

  const attempt = async <Answer>({ answer, ...call }: Call<Answer>): Promise<Answer> => {
    if (isDead) throw new PlatformFailure('botTokenDead', { status: 401 });
    if (breaker.isOpen()) throw new PlatformFailure('breakerOpen');
    return parseAnswer(await sendVia(rest, call), answer);
  };

  return {
    async call(call) {
      for (let tried = 1; ; tried++) {
        try {
          return await attempt(call);
        } catch (error) {
          const failure = asFailure(error, call.signal);
          if (failure.kind !== 'unreachable' || tried === attempts) throw failure;
          await backOff(tried, call.signal);
        }
      }
    },
  };
};

const sendVia = (
  rest: REST,
  { method, path, query, body, signal }: Omit<Call<unknown>, 'answer'>,
) =>
  rest.queueRequest({
    // The library's own enum has the same words.
    method: method as Parameters<REST['queueRequest']>[0]['method'],
    fullRoute: path as RouteLike,
    query: query && new URLSearchParams(query),
    body,
    signal,
  });

/** The library speaks of undici's types; a body of ours is text or a form, which fetch takes as well. */
const requestInit = (init: object): RequestInit => init as RequestInit;

const parseAnswer = async <Answer>(
  response: { status: number; text(): Promise<string> },
  answer: z.ZodType<Answer>,
): Promise<Answer> => {
  const text = response.status === 204 ? '' : await response.text();
  const parsed = answer.safeParse(text === '' ? undefined : parseJson(text, response.status));
  if (parsed.success) return parsed.data;
  throw new PlatformFailure('badAnswer', { status: response.status, cause: parsed.error });
};

const parseJson = (text: string, status: number): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PlatformFailure('badAnswer', { status, cause });
  }
};

const asFailure = (error: unknown, signal: AbortSignal | undefined): PlatformFailure => {
  if (error instanceof PlatformFailure) return error;
  if (error instanceof DiscordAPIError) return failureOf(error.status, Number(error.code));
  if (error instanceof HTTPError) return failureOf(error.status, undefined);
  if (error instanceof RateLimitError) return new PlatformFailure('rateLimited', { status: 429 });
  // A time-out of ours looks like an abort as well; only the caller's own counts as one.
  return new PlatformFailure(signal?.aborted ? 'aborted' : 'unreachable', { cause: error });
};

/** Longer each time, and never the same for two, so that nobody comes back all at once. */
const backOff = async (tried: number, signal: AbortSignal | undefined): Promise<void> => {
  const longest = firstBackOffMs * 2 ** (tried - 1);
  await Bun.sleep(longest / 2 + (Math.random() * longest) / 2);
  if (signal?.aborted) throw new PlatformFailure('aborted');
};

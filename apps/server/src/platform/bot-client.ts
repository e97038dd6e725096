import { AsyncLocalStorage } from 'node:async_hooks';
import {
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  type RawFile,
  REST,
  RESTEvents,
  type ResponseLike,
  type RouteLike,
} from '@discordjs/rest';
import type { z } from 'zod';
import { mayStillAct } from '../kernel/guarded-signal.ts';
import type { Secret } from '../kernel/secret.ts';
import { abortable } from './abortable.ts';
import { withBackOff } from './back-off.ts';
import type { Breaker } from './breaker.ts';
import { failureOf, PlatformFailure } from './failures.ts';
import type { PlatformMetrics } from './metrics.ts';
import { keepBucketsByMonotonicClock } from './monotonic-buckets.ts';
import { actingAccount } from './on-behalf-of.ts';
import { callsPerSecond, createPace } from './pace.ts';
import type { CallOptions, Image } from './port.ts';
import { keepSameQueue } from './same-queue.ts';
import { fetchLimited } from './transport.ts';

export type Call<Answer> = CallOptions & {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the versioned API root, such as `/guilds/1/roles`. */
  path: `/${string}`;
  query?: Record<string, string>;
  body?: unknown;
  /**
   * The body, asked for in the moment the request leaves: after every wait, and at every attempt.
   * Undefined holds the request back (`withheld`); what it throws, the call throws.
   */
  lateBody?: () => Promise<unknown>;
  /** Makes the body the fields of a form, with this file beside them. */
  file?: Image & { name: string };
  /** For the guild's own log of who did what, and why. */
  reason?: string;
  /** What the answer must look like; it is given on as parsed. An answer of 204 is `undefined`. */
  answer: z.ZodType<Answer>;
};

/** The platform as one bot sees it. */
export type BotClient = {
  call<Answer>(call: Call<Answer>): Promise<Answer>;
  /** What was learned about the token elsewhere: whether any call with it makes sense. */
  setDead(isDead: boolean): void;
  /** Ends the client's timers; calls that are under way still finish. */
  close(): void;
};

export type BotClientTools = {
  apiUrl: string;
  breaker: Breaker;
  metrics: PlatformMetrics;
  /** How long one attempt may take. */
  timeoutMs?: number;
  /** How long it waits at most before the second attempt; twice as long before each further one. */
  firstBackOffMs?: number;
};

const apiVersion = '10';
const usualAttempts = 4;
const longestWaitMs = 60_000;

/**
 * Keeps to the platform's buckets and its global limit by the headers it sends, one queue per bucket.
 * A bot whose token was refused once is not used again, unless a check finds the token good.
 */
export const createBotClient = (token: Secret, tools: BotClientTools): BotClient => {
  let isDead = false;
  const takeTurn = createPace(callsPerSecond, 1000);
  const rootLength = new URL(`${tools.apiUrl}/v${apiVersion}`).pathname.length;
  const demandUsable = (signal: AbortSignal | undefined) => {
    if (isDead) throw new PlatformFailure('botTokenDead', { status: 401 });
    if (!mayStillAct(signal)) throw new PlatformFailure('aborted');
  };
  const rest: REST = createRest(tools, async (url, init) => {
    await takeTurn();
    // Once more: while this one waited for its turn, another may have been refused, or whoever
    // asked for it may have lost the right to.
    const { signal, lateBody, accountId } = asked.getStore() ?? {};
    demandUsable(signal);
    const response = await tools.breaker.admit(accountId, async () => {
      const late = lateBody && (await askForBody(lateBody));
      demandUsable(signal);
      return sendCounted(tools, url, { ...init, ...late });
    });
    if (response.status === 401) isDead = true;
    const path = new URL(url).pathname.slice(rootLength);
    const bucket = response.headers.get('x-ratelimit-bucket');
    keepSameQueue(rest, init.method ?? 'GET', path, bucket);
    return response;
  }).setToken(token.reveal());

  return {
    call({ signal: outer, attempts = usualAttempts, ...call }) {
      // Creating twice makes two: whether the first one worked must be looked up by who wanted it.
      let left = call.method === 'POST' ? 1 : attempts;
      const isWorthAnother = ({ kind }: PlatformFailure) => kind === 'unreachable' && --left > 0;
      return abortable(outer, (signal) => {
        const attempt = async () => {
          demandUsable(outer);
          const accountId = actingAccount();
          // Before it queues for a bucket: one that is stopped need not wait to hear of it.
          if (tools.breaker.isOpen(accountId)) throw new PlatformFailure('breakerOpen');
          const wish = { signal: outer, lateBody: call.lateBody, accountId };
          return await asked.run(wish, () => attemptVia(rest, call, signal));
        };
        return withBackOff(attempt, isWorthAnother, signal, tools.firstBackOffMs);
      });
    },
    setDead(value) {
      isDead = value;
      // The library forgets a token that was refused.
      rest.setToken(token.reveal());
    },
    close() {
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    },
  };
};

/** The library gives each request a signal of its own; this finds the caller's wish from inside it. */
const asked = new AsyncLocalStorage<{
  signal: AbortSignal | undefined;
  lateBody: Call<unknown>['lateBody'];
  accountId: string | undefined;
}>();

/** Carries what a late body failed with past the library and our own judging of its errors. */
class NoBody extends Error {
  constructor(readonly reason: unknown) {
    super('There is no body');
    this.name = 'NoBody';
  }
}

/**
 * It is sent on a connection of its own: on one that was used before and breaks, the runtime sends a
 * request a second time by itself, without anybody having been asked.
 */
const askForBody = async (lateBody: () => Promise<unknown>): Promise<RequestInit> => {
  const body = await lateBody().catch((reason: unknown) => {
    throw new NoBody(reason);
  });
  if (body === undefined) throw new PlatformFailure('withheld');
  return { body: JSON.stringify(body), keepalive: false };
};

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const createRest = ({ apiUrl, metrics, timeoutMs }: BotClientTools, send: Fetch): REST => {
  const rest = new REST({
    api: apiUrl,
    version: apiVersion,
    retries: 0,
    globalRequestsPerSecond: callsPerSecond,
    timeout: timeoutMs ?? 15_000,
    // Counted from when an answer has arrived, so a call is never early; the library adds this twice.
    offset: 20,
    rejectOnRateLimit: ({ timeToReset, retryAfter }) =>
      Math.max(timeToReset, retryAfter) > longestWaitMs,
    // The same web standard, in another library's words: a body of ours is text or a form.
    makeRequest: async (url, init) =>
      (await send(url, init as unknown as RequestInit)) as unknown as ResponseLike,
  });
  keepBucketsByMonotonicClock(rest);
  return rest.on(RESTEvents.RateLimited, ({ method, url, timeToReset }) => {
    if (timeToReset > longestWaitMs) return;
    metrics.countWait(method, new URL(url).pathname, timeToReset);
  });
};

const sendCounted = async (
  { metrics }: BotClientTools,
  url: string,
  init: RequestInit,
): Promise<Response> => {
  const response = await fetchLimited(url, init);
  metrics.countCall(init.method ?? 'GET', new URL(url).pathname, response.status);
  return response;
};

const attemptVia = async <Answer>(
  rest: REST,
  { answer, ...call }: Call<Answer>,
  signal: AbortSignal,
): Promise<Answer> => {
  try {
    return await parseAnswer(await sendVia(rest, call, signal), answer);
  } catch (error) {
    if (error instanceof NoBody) throw error.reason;
    throw asFailure(error, signal);
  }
};

const sendVia = (
  rest: REST,
  { method, path, query, body, lateBody, file, reason }: Omit<Call<unknown>, 'answer'>,
  signal: AbortSignal,
) =>
  rest.queueRequest({
    // The library's own enum has the same words.
    method: method as Parameters<REST['queueRequest']>[0]['method'],
    fullRoute: path as RouteLike,
    query: query && new URLSearchParams(query),
    // A late one takes the place of this one, under the same headers.
    body: lateBody ? {} : body,
    ...(file && { files: [rawFileOf(file)], appendToFormData: true }),
    reason,
    signal,
  });

const rawFileOf = ({ name, contentType, bytes }: Image & { name: string }): RawFile => ({
  key: 'file',
  name,
  contentType,
  data: bytes,
});

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

const asFailure = (error: unknown, signal: AbortSignal): PlatformFailure => {
  if (error instanceof PlatformFailure) return error;
  // Never as the cause: these errors hold the request's body, and so a member's token.
  if (error instanceof DiscordAPIError) {
    return failureOf(error.status, Number(error.code), error.message);
  }
  if (error instanceof HTTPError) return failureOf(error.status);
  if (error instanceof RateLimitError) {
    const retryAfterMs = Math.max(error.timeToReset, error.retryAfter);
    return new PlatformFailure('rateLimited', { status: 429, retryAfterMs });
  }
  // A refusal that promised JSON and is none.
  if (error instanceof SyntaxError) return new PlatformFailure('badAnswer', { cause: error });
  // A time-out of ours looks like an abort as well; only the caller's own counts as one.
  return new PlatformFailure(signal.aborted ? 'aborted' : 'unreachable', { cause: error });
};

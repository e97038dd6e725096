import { AsyncLocalStorage } from 'node:async_hooks';
import {
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  type RawFile,
  type REST,
  type RouteLike,
} from '@discordjs/rest';
import type { z } from 'zod';
import { mayStillAct } from '../../kernel/deadline.ts';
import type { Secret } from '../../kernel/secret.ts';
import { failureOf, PlatformFailure } from '../failures.ts';
import type { PlatformMetrics } from '../metrics.ts';
import type { CallOptions, Image } from '../port.ts';
import { traceCall } from '../trace-call.ts';
import { abortable } from './abortable.ts';
import { withBackOff } from './back-off.ts';
import { actingAccount, type Breaker } from './breaker.ts';
import { inTurn } from './in-turn.ts';
import { parseLongList } from './long-list.ts';
import type { Charge } from './refusal-share.ts';
import {
  apiVersion,
  createPacer,
  createRest,
  reuseQueue,
  usualCallsPerSecond,
  type WaitForTurn,
} from './rest.ts';
import { fetchLimited } from './transport.ts';

export type Call<Answer> = CallOptions & {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the versioned API root, such as `/guilds/1/roles`. */
  path: `/${string}`;
  query?: Record<string, string>;
  body?: unknown;
  /**
   * Builds the body right before the request is sent: after every wait for a rate limit, and again for
   * every attempt. Undefined cancels the request (`withheld`); an error is thrown by the call.
   *
   * Example: adding a member needs their token, which they may revoke while the call waits a minute for
   * its bucket. So the token is read last:
   *
   *     lateBody: async () => {
   *       const token = await readToken(); // undefined once the member has revoked it
   *       return token && { access_token: token.reveal() };
   *     }
   */
  lateBody?: () => Promise<unknown>;
  /**
   * A file beside the body, which becomes the fields of a form. A file of another field's name has the
   * body in one field.
   */
  file?: Image & { name: string; field?: string };
  /** Sent beside the body, which becomes the form's `payload_json`. */
  files?: (Image & { name: string })[];
  /** The guild that the call is about, for which a refusal counts. */
  guildId?: string;
  /** Sent without the bot's token: the path has a token of its own. */
  isAnonymous?: boolean;
  /** The schema of the answer. An answer of 204 is `undefined`. */
  answer: z.ZodType<Answer>;
  /** The answer is a list that can be long. */
  isLong?: true;
};

/** One bot's calls about one guild, with the options that were given for all of them. */
export type GuildCalls = {
  guildId: string;
  call<Answer>(call: Omit<Call<Answer>, OptionOfAll>): Promise<Answer>;
  /** A call whose answer is not used. */
  send(call: Omit<Call<unknown>, OptionOfAll | 'answer'>): Promise<void>;
};

type OptionOfAll = Exclude<keyof CallOptions, 'reason'>;

/** The platform as one bot sees it. */
export type BotClient = {
  call<Answer>(call: Call<Answer>): Promise<Answer>;
  /** Whether the token is known to be invalid, as found out elsewhere: every call then fails at once. */
  setDead(isDead: boolean): void;
  /** Ends the client's timers; calls under way still finish. */
  close(): void;
};

type BotClientDependencies = {
  apiUrl: string;
  breaker: Breaker;
  metrics: PlatformMetrics;
  /** Waits for the turn of a call that names no bot; shared by all bots of the process. */
  waitForAnonymousTurn?: WaitForTurn;
  callsPerSecond?: number;
  /** The time limit of one attempt, from when it is sent. */
  timeoutMs?: number;
  /** The longest wait before the second attempt; it doubles before each further one. */
  firstBackOffMs?: number;
};

const defaultAttempts = 4;
const usualTimeoutMs = 15_000;

/**
 * Respects the platform's buckets and its global limit by the headers of its answers, with one queue per
 * bucket. A bot whose token was refused once is not used again, until a check finds the token valid.
 */
export const createBotClient = (token: Secret, dependencies: BotClientDependencies): BotClient => {
  const { apiUrl, breaker, metrics, firstBackOffMs } = dependencies;
  const { callsPerSecond = usualCallsPerSecond, waitForAnonymousTurn } = dependencies;
  const { timeoutMs = usualTimeoutMs } = dependencies;
  let isDead = false;
  const waitForTurn = createPacer(callsPerSecond, 1000);
  const rootLength = new URL(`${apiUrl}/v${apiVersion}`).pathname.length;
  const requireUsable = (signal: AbortSignal | undefined) => {
    if (isDead) throw new PlatformFailure('botTokenDead', { status: 401 });
    if (!mayStillAct(signal)) throw new PlatformFailure('aborted');
  };
  const rest: REST = createRest({ apiUrl, metrics }, async (url, init) => {
    const { signal, lateBody, isAnonymous, charge = {}, begin } = currentCall.getStore() ?? {};
    const waitedSince = performance.now();
    await waitForTurn(charge);
    if (isAnonymous) await waitForAnonymousTurn?.();
    const waitedMs = performance.now() - waitedSince;
    if (waitedMs >= 1) metrics.countWait(init.method ?? 'GET', new URL(url).pathname, waitedMs);
    // Again: during the wait the token may have been refused, or the caller have lost its lease.
    requireUsable(signal);
    begin?.();
    const send = async () => {
      const late = lateBody && (await buildLateBody(lateBody));
      requireUsable(signal);
      return sendCounted(metrics, url, { ...init, ...late, signal: signalOf(init, timeoutMs) });
    };
    const response = await breaker.admit(charge, send);
    if (response.status === 401 && !isAnonymous) isDead = true;
    const path = new URL(url).pathname.slice(rootLength);
    const bucket = response.headers.get('x-ratelimit-bucket');
    reuseQueue(rest, init.method ?? 'GET', path, bucket);
    return response;
  }).setToken(token.reveal());

  return {
    call({ signal: outer, attempts = defaultAttempts, ...call }) {
      // A repeated POST may create a second object: the caller must find out whether the first worked.
      let left = call.method === 'POST' ? 1 : attempts;
      const isWorthAnother = ({ kind }: PlatformFailure) => kind === 'unreachable' && --left > 0;
      const send = (signal: AbortSignal) => {
        const attempt = async () => {
          requireUsable(outer);
          const { lateBody, isAnonymous, isUrgent, guildId } = call;
          const charge = { accountId: actingAccount(), guildId, isUrgent };
          // Before the wait for a bucket: an open breaker need not be waited for.
          if (breaker.isOpen(charge)) throw new PlatformFailure('breakerOpen');
          return await inTurn(signal, (signal, begin) => {
            const state = { signal: outer, lateBody, isAnonymous, charge, begin };
            return currentCall.run(state, () => attemptVia(rest, call, signal));
          });
        };
        return withBackOff(attempt, isWorthAnother, signal, firstBackOffMs);
      };
      return traceCall({ ...call, url: apiUrl }, () => abortable(outer, send));
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

/** The library gives each request a signal of its own; this carries the caller's state through it. */
const currentCall = new AsyncLocalStorage<{
  signal: AbortSignal | undefined;
  lateBody: Call<unknown>['lateBody'];
  isAnonymous: boolean | undefined;
  charge: Charge;
  begin: () => void;
}>();

/** Carries the error of a `lateBody` through the library, past the classification of its errors. */
class LateBodyError extends Error {
  constructor(readonly reason: unknown) {
    super('The body could not be built');
    this.name = 'LateBodyError';
  }
}

/**
 * Sent on a new connection: on a used one that breaks, the runtime repeats a request by itself, without
 * building the body again.
 */
const buildLateBody = async (lateBody: () => Promise<unknown>): Promise<RequestInit> => {
  const body = await lateBody().catch((reason: unknown) => {
    throw new LateBodyError(reason);
  });
  if (body === undefined) throw new PlatformFailure('withheld');
  return { body: JSON.stringify(body), keepalive: false };
};

const signalOf = ({ signal }: RequestInit, timeoutMs: number): AbortSignal =>
  AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(timeoutMs)]);

const sendCounted = async (
  metrics: PlatformMetrics,
  url: string,
  init: RequestInit,
): Promise<Response> => {
  const response = await fetchLimited(url, init);
  metrics.countCall(init.method ?? 'GET', new URL(url).pathname, response.status);
  return response;
};

const attemptVia = async <Answer>(
  rest: REST,
  { answer, isLong, ...call }: Call<Answer>,
  signal: AbortSignal,
): Promise<Answer> => {
  try {
    return await parseAnswer(await sendVia(rest, call, signal), answer, isLong);
  } catch (error) {
    if (error instanceof LateBodyError) throw error.reason;
    throw asFailure(error, signal);
  }
};

const sendVia = (
  rest: REST,
  {
    method,
    path,
    query,
    body,
    lateBody,
    file,
    files,
    isAnonymous,
    reason,
  }: Omit<Call<unknown>, 'answer'>,
  signal: AbortSignal,
) =>
  rest.queueRequest({
    // The library's own enum has the same values.
    method: method as Parameters<REST['queueRequest']>[0]['method'],
    fullRoute: path as RouteLike,
    query: query && new URLSearchParams(query),
    // A late body replaces this one, under the same headers.
    body: lateBody ? {} : body,
    ...(file && {
      files: [{ ...rawFileOf(file), key: file.field ?? 'file' }],
      appendToFormData: file.field === undefined,
    }),
    ...(files && { files: files.map(rawFileOf) }),
    auth: isAnonymous !== true,
    // The library encodes it for the header. A read changes nothing that would need a reason.
    reason: method === 'GET' || reason === undefined ? undefined : shortenReason(reason),
    signal,
  });

const longestReason = 512;

/** By whole characters: half a surrogate pair cannot be sent in a header. */
const shortenReason = (reason: string): string =>
  [...reason.toWellFormed()].slice(0, longestReason).join('');

const rawFileOf = ({ name, contentType, bytes }: Image & { name: string }): RawFile => ({
  name,
  contentType,
  data: bytes,
});

const parseAnswer = async <Answer>(
  response: { status: number; text(): Promise<string> },
  answer: z.ZodType<Answer>,
  isLong = false,
): Promise<Answer> => {
  const text = response.status === 204 ? '' : await response.text();
  const { status } = response;
  const parsed = isLong
    ? await parseLongList(text, answer).catch(badJson(status))
    : answer.safeParse(text === '' ? undefined : parseJson(text, status));
  if (parsed.success) return parsed.data;
  throw new PlatformFailure('badAnswer', { status, cause: parsed.error });
};

const parseJson = (text: string, status: number): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    return badJson(status)(cause);
  }
};

const badJson = (status: number) => (cause: unknown) => {
  throw new PlatformFailure('badAnswer', { status, cause });
};

const asFailure = (error: unknown, signal: AbortSignal): PlatformFailure => {
  if (error instanceof PlatformFailure) return error;
  // Never as the cause: these errors hold the request's body, and so a member's token.
  if (error instanceof DiscordAPIError) {
    return failureOf(error.status, Number(error.code), error.rawError);
  }
  if (error instanceof HTTPError) return failureOf(error.status);
  if (error instanceof RateLimitError) {
    const retryAfterMs = Math.max(error.timeToReset, error.retryAfter);
    return new PlatformFailure('rateLimited', { status: 429, retryAfterMs });
  }
  // An error answer that was announced as JSON and is not.
  if (error instanceof SyntaxError) return new PlatformFailure('badAnswer', { cause: error });
  // A time-out looks like an abort as well; only the caller's own signal counts as one.
  return new PlatformFailure(signal.aborted ? 'aborted' : 'unreachable', { cause: error });
};

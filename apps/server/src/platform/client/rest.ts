import { REST, RESTEvents, type ResponseLike } from '@discordjs/rest';
import { longestWaitMs } from '../../kernel/patience.ts';
import type { PlatformMetrics } from '../metrics.ts';

export const apiVersion = '10';
const longestResetMs = 60_000;

/** For the reset of a bucket; what waits longer fails as `rateLimited`. */
const longestMs = (): number => Math.min(longestResetMs, longestWaitMs());

/** The platform's limit for one bot in all, and for all calls of an address that name no bot. */
export const usualCallsPerSecond = 50;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

type RestOptions = { apiUrl: string; metrics: PlatformMetrics };

/** The longest that a timer takes. */
const noTimeoutMs = 2 ** 31 - 1;

/**
 * The library's client, with its buckets and queues adjusted as below. Retries, the time limit of an
 * attempt and the pace of all calls are up to `send`: the library gives none of its callers precedence.
 */
export const createRest = ({ apiUrl, metrics }: RestOptions, send: Fetch): REST => {
  const rest = new REST({
    api: apiUrl,
    version: apiVersion,
    retries: 0,
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    timeout: noTimeoutMs,
    // Counted from the arrival of an answer, so a call is never early; the library adds this twice.
    offset: 20,
    rejectOnRateLimit: ({ timeToReset, retryAfter }) =>
      Math.max(timeToReset, retryAfter) > longestMs(),
    // The same web standard with another library's types: a body of ours is text or a form.
    makeRequest: async (url, init) =>
      (await send(url, init as unknown as RequestInit)) as unknown as ResponseLike,
  });
  useMonotonicBuckets(rest);
  return rest.on(RESTEvents.RateLimited, ({ method, url, timeToReset }) => {
    if (timeToReset > longestMs()) return;
    metrics.countWait(method, new URL(url).pathname, timeToReset);
  });
};

/**
 * The library stores the end of each bucket's window, and of the global one, as a time of day. A clock
 * that is set back would make it wait for as long as the step. So both are stored by the monotonic clock
 * here, and converted to the current time of day when the library reads them.
 */
const useMonotonicBuckets = (rest: REST): void => {
  storeByMonotonicClock(rest, 'globalReset');
  const { handlers } = rest;
  const set = handlers.set.bind(handlers);
  handlers.set = (key, handler) => {
    storeByMonotonicClock(handler, 'reset');
    return set(key, handler);
  };
};

const converted = new WeakSet<object>();

const storeByMonotonicClock = (holder: object, name: string): void => {
  if (converted.has(holder)) return;
  converted.add(holder);
  let endsAt = 0;
  const set = (timeOfDay: number) => {
    endsAt = performance.now() + (timeOfDay - Date.now());
  };
  set(Number(Reflect.get(holder, name) ?? -1));
  Object.defineProperty(holder, name, {
    get: () => Date.now() + (endsAt - performance.now()),
    set,
    configurable: true,
    enumerable: true,
  });
};

/** As the library names the routes of a webhook's posts. */
const webhookToken = /(^\/webhooks\/:id\/)[^/?]+/;

/**
 * When the library learns a bucket's name it starts a second queue for it, without the first queue's
 * state and while that one still sends. So the first queue is registered under the new name.
 */
export const reuseQueue = (rest: REST, method: string, path: string, bucket: string | null) => {
  const route = `${method}:${path.replace(/\d{17,19}/g, ':id').replace(webhookToken, '$1:token')}`;
  if (bucket === null || rest.hashes.get(route)?.value === bucket) return;
  const nameless = `Global(${route}):`;
  for (const [key, queue] of rest.handlers) {
    if (!key.startsWith(nameless)) continue;
    const named = `${bucket}:${key.slice(nameless.length)}`;
    if (!rest.handlers.has(named)) rest.handlers.set(named, queue);
  }
};

/** Waits for the turn of a call; urgent ones go before all others that wait. */
export type WaitForTurn = (options?: { isUrgent?: boolean | undefined }) => Promise<void>;

/**
 * Allows `limit` calls in any window of `perMs`, wherever it starts: one that counted in fixed seconds
 * would let twice as many through around the end of one.
 */
export const createPacer = (limit: number, perMs: number): WaitForTurn => {
  const lastTurns = new Array<number>(limit).fill(Number.NEGATIVE_INFINITY);
  const urgent: (() => void)[] = [];
  const usual: (() => void)[] = [];
  let oldest = 0;
  let timer: Timer | undefined;
  const grantTurns = () => {
    timer = undefined;
    for (;;) {
      const grant = urgent[0] ?? usual[0];
      if (!grant) return;
      const now = performance.now();
      const freeInMs = (lastTurns[oldest] ?? now) + perMs - now;
      if (freeInMs > 0) {
        timer = setTimeout(grantTurns, freeInMs);
        return;
      }
      lastTurns[oldest] = now;
      oldest = (oldest + 1) % limit;
      (urgent[0] ? urgent : usual).shift();
      grant();
    }
  };
  return ({ isUrgent } = {}) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    (isUrgent ? urgent : usual).push(resolve);
    if (!timer) grantTurns();
    return promise;
  };
};

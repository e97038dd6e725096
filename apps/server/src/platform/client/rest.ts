import { REST, RESTEvents, type ResponseLike } from '@discordjs/rest';
import type { PlatformMetrics } from '../metrics.ts';

export const apiVersion = '10';
const longestWaitMs = 60_000;

/** The platform's limit for one bot in all, and for all calls of an address that name no bot. */
export const usualCallsPerSecond = 50;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

type RestOptions = {
  apiUrl: string;
  metrics: PlatformMetrics;
  callsPerSecond: number;
  timeoutMs?: number;
};

/** The library's client, with its buckets and queues adjusted as below. Retries are our own. */
export const createRest = (
  { apiUrl, metrics, callsPerSecond, timeoutMs }: RestOptions,
  send: Fetch,
): REST => {
  const rest = new REST({
    api: apiUrl,
    version: apiVersion,
    retries: 0,
    globalRequestsPerSecond: callsPerSecond,
    timeout: timeoutMs ?? 15_000,
    // Counted from the arrival of an answer, so a call is never early; the library adds this twice.
    offset: 20,
    rejectOnRateLimit: ({ timeToReset, retryAfter }) =>
      Math.max(timeToReset, retryAfter) > longestWaitMs,
    // The same web standard with another library's types: a body of ours is text or a form.
    makeRequest: async (url, init) =>
      (await send(url, init as unknown as RequestInit)) as unknown as ResponseLike,
  });
  useMonotonicBuckets(rest);
  return rest.on(RESTEvents.RateLimited, ({ method, url, timeToReset }) => {
    if (timeToReset > longestWaitMs) return;
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

/**
 * Allows `limit` calls in any window of `perMs`, wherever it starts. The library counts in fixed seconds:
 * the end of one and the start of the next can hold twice as many.
 */
export const createPacer = (limit: number, perMs: number): (() => Promise<void>) => {
  const slots = new Array<number>(limit).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  return async () => {
    const now = performance.now();
    const slot = Math.max(now, (slots[next] ?? now) + perMs);
    slots[next] = slot;
    next = (next + 1) % limit;
    if (slot > now) await Bun.sleep(slot - now);
  };
};

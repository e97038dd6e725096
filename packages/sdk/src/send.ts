import { errorFrom, HoldfastError, HoldfastNetworkError } from './errors.ts';
import type { PreparedRequest } from './prepare-request.ts';
import type { Settings } from './settings.ts';

type Limits = { signal?: AbortSignal; timeoutMs?: number };

type ResponseBody = { data: unknown };

/** The body of a success, after as many attempts as the settings allow. */
export const send = async (
  settings: Settings,
  request: PreparedRequest,
  limits: Limits,
): Promise<ResponseBody> => {
  let repeats = 0;
  let waitedMs = 0;
  for (;;) {
    try {
      return await sendOnce(settings, request, limits);
    } catch (error) {
      const waitMs = requestedWaitMs(error);
      if (waitMs !== undefined && waitedMs + waitMs <= settings.maxWaitMs) {
        waitedMs += waitMs;
        await sleep(waitMs, limits.signal);
      } else if (
        request.isRepeatable &&
        repeats < settings.retries &&
        isTransient(error, repeats)
      ) {
        await sleep(backOffMs(repeats++), limits.signal);
      } else throw error;
    }
  }
};

const minWaitMs = 1000;

/** A request that was refused with 429 had no effect, so any method can be sent again. */
const requestedWaitMs = (error: unknown): number | undefined => {
  const isLimited = error instanceof HoldfastError && error.status === 429;
  if (!isLimited || error.retryAfterMs === undefined) return undefined;
  return Math.max(minWaitMs, error.retryAfterMs);
};

const isTransient = (error: unknown, repeats: number): boolean => {
  if (error instanceof HoldfastNetworkError) return true;
  if (!(error instanceof HoldfastError)) return false;
  // A repeat may conflict with its own first attempt, which is still running.
  return [502, 503, 504].includes(error.status) || (repeats > 0 && error.kind === 'conflict');
};

/** Exponential, with jitter so that clients do not retry at the same time. */
const backOffMs = (repeats: number): number => 250 * 2 ** repeats * (1 + Math.random());

/** One attempt: the body of a success, or an error. */
const sendOnce = async (
  settings: Settings,
  { url, init }: PreparedRequest,
  { signal, timeoutMs = settings.timeoutMs }: Limits,
): Promise<ResponseBody> => {
  const deadline = openDeadline(timeoutMs, signal);
  try {
    const response = settings.fetch(url, { ...init, signal: deadline.signal }).then(readBody);
    return await Promise.race([response, deadline.passed]);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof HoldfastError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const [address] = url.split('?');
    const isTimeout = deadline.signal.aborted;
    throw new HoldfastNetworkError(`${init.method} ${address}: ${reason}`, { isTimeout, cause });
  } finally {
    deadline.close();
  }
};

/**
 * Aborts at the timeout or with the caller's signal. It has a signal of its own, so that no listener
 * stays on the caller's, which may be used for thousands of attempts.
 */
const openDeadline = (timeoutMs: number, outer: AbortSignal | undefined) => {
  outer?.throwIfAborted();
  const inner = new AbortController();
  const timer = setTimeout(
    () => inner.abort(new Error(`no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const forwardAbort = () => inner.abort(outer?.reason);
  outer?.addEventListener('abort', forwardAbort);
  return {
    signal: inner.signal,
    /** Never resolves; it rejects even if `fetch` ignores its signal. */
    passed: new Promise<never>((_, reject) => {
      inner.signal.addEventListener('abort', () => reject(inner.signal.reason));
    }),
    close() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', forwardAbort);
    },
  };
};

/** A truncated body, or a success of a proxy, is not a response of the service. */
const readBody = async (response: Response): Promise<ResponseBody> => {
  const text = await response.text();
  const body = parseJson(text);
  if (!response.ok) throw errorFrom(response, body);
  if (typeof body === 'object' && body !== null && 'data' in body) return body;
  throw new Error('the answer is not one of the service');
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Rejects with the signal's reason as soon as it is aborted. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const wake = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', wake);
      resolve();
    }, ms);
    signal?.addEventListener('abort', wake, { once: true });
  });

import { openDeadline } from './deadline.ts';
import { errorFrom, HoldfastError, HoldfastNetworkError, reasonOf } from './errors.ts';
import type { Limits, PreparedRequest } from './prepare-request.ts';
import { rateLimitOf, requestIdOf } from './response-info.ts';
import type { Settings } from './settings.ts';

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
        await settings.pause(waitMs, limits.signal);
      } else if (repeats > 0 && hasDeleted(request, error)) {
        return { data: { id: request.deletedId, deleted: true } };
      } else if (repeats < settings.retries && isWorthRepeating(request, error, repeats)) {
        await settings.pause(backOffMs(repeats++), limits.signal);
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

/** The attempt whose response was lost has deleted it. Only the service itself gives a request id. */
const hasDeleted = ({ deletedId }: PreparedRequest, error: unknown): boolean =>
  deletedId !== undefined &&
  error instanceof HoldfastError &&
  error.is('notFound') &&
  error.requestId !== undefined;

const isWorthRepeating = (
  { isRepeatable, init }: PreparedRequest,
  error: unknown,
  repeats: number,
): boolean => {
  if (!isRepeatable) return false;
  if (error instanceof HoldfastNetworkError) return true;
  if (!(error instanceof HoldfastError)) return false;
  // A POST may conflict with its own first attempt, which is still running.
  const isOwnConflict = init.method === 'POST' && repeats > 0 && error.kind === 'conflict';
  return isOwnConflict || [502, 503, 504].includes(error.status);
};

/** Exponential, with jitter so that clients do not retry at the same time. */
const backOffMs = (repeats: number): number => 250 * 2 ** repeats * (1 + Math.random());

/** One attempt: the body of a success, or an error. */
const sendOnce = async (
  settings: Settings,
  request: PreparedRequest,
  limits: Limits,
): Promise<ResponseBody> => {
  const { response, text } = await exchange(settings, request, limits);
  const { status, headers, ok } = response;
  const { operation } = request;
  const info = { operation, status, headers };
  for (const onResponse of [settings.onResponse, limits.onResponse]) {
    onResponse?.({ ...info, requestId: requestIdOf(headers), rateLimit: rateLimitOf(headers) });
  }
  const body = parseJson(text);
  if (!ok) throw errorFrom(response, body);
  if (request.isRaw) return { data: body === undefined ? text : body };
  if (typeof body === 'object' && body !== null && 'data' in body) return body;
  // A success of a proxy, or a truncated body.
  throw networkError(request, new Error('the answer is not one of the service'));
};

/** Sends it and reads the whole response within the time limit. */
const exchange = async (
  settings: Settings,
  request: PreparedRequest,
  { signal, timeoutMs = settings.timeoutMs }: Limits,
): Promise<{ response: Response; text: string }> => {
  const deadline = openDeadline(timeoutMs, signal);
  const { url, init } = request;
  try {
    const read = settings
      .fetch(url, { ...init, signal: deadline.signal })
      .then(async (response) => ({ response, text: await response.text() }));
    return await Promise.race([read, deadline.passed]);
  } catch (cause) {
    signal?.throwIfAborted();
    throw networkError(request, cause, deadline.signal.aborted);
  } finally {
    deadline.close();
  }
};

/** Without the query, which may hold what somebody searched for. */
const networkError = ({ url, init }: PreparedRequest, cause: unknown, isTimeout = false) => {
  const [address] = url.split('?');
  const message = `${init.method} ${address}: ${reasonOf(cause)}`;
  return new HoldfastNetworkError(message, { isTimeout, cause });
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

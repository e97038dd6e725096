import { HoldfastError, HoldfastNetworkError } from './errors.ts';
import type { PreparedRequest } from './prepare-request.ts';
import { type AnswerBody, type Limits, sendOnce } from './send-once.ts';
import type { Settings } from './settings.ts';
import { sleep } from './sleep.ts';

/** The body of the service's success, after as many tries as it takes and the settings allow. */
export const send = async (
  settings: Settings,
  request: PreparedRequest,
  limits: Limits,
): Promise<AnswerBody> => {
  let repeats = 0;
  let waitedMs = 0;
  for (;;) {
    try {
      return await sendOnce(settings, request, limits);
    } catch (error) {
      const waitMs = askedWaitMs(error);
      if (waitMs !== undefined && waitedMs + waitMs <= settings.maxWaitMs) {
        waitedMs += waitMs;
        await sleep(waitMs, limits.signal);
      } else if (request.isRepeatable && repeats < settings.retries && isPassing(error, repeats)) {
        await sleep(backOffMs(repeats++), limits.signal);
      } else throw error;
    }
  }
};

const shortestWaitMs = 1000;

/** What was refused with 429 was not acted upon: any request can then be sent again. */
const askedWaitMs = (error: unknown): number | undefined => {
  const isAsked = error instanceof HoldfastError && error.status === 429;
  if (!isAsked || error.retryAfterMs === undefined) return undefined;
  return Math.max(shortestWaitMs, error.retryAfterMs);
};

const isPassing = (error: unknown, repeats: number): boolean => {
  if (error instanceof HoldfastNetworkError) return true;
  if (!(error instanceof HoldfastError)) return false;
  // The conflict of a repeat may be with its own first try, which is still running.
  return [502, 503, 504].includes(error.status) || (repeats > 0 && error.kind === 'conflict');
};

/** Longer each time, and never the same for two, so that nobody comes back all at once. */
const backOffMs = (repeats: number): number => 250 * 2 ** repeats * (1 + Math.random());

import { longestWaitMs } from '../../kernel/patience.ts';
import { PlatformFailure } from '../failures.ts';

/** Calls that wait before this one may take long, too: it is asked again after as much as it waited. */
const lateFailure = (waitedMs: number) =>
  new PlatformFailure('rateLimited', { retryAfterMs: waitedMs });

/**
 * A call that waits in a queue until it is its turn, for no longer than the caller is ready to. It must call
 * `begin` right before it is sent: after that it is not given up, before that it is never sent once given up.
 */
export const inTurn = async <Result>(
  outer: AbortSignal,
  work: (signal: AbortSignal, begin: () => void) => Promise<Result>,
): Promise<Result> => {
  const waitMs = longestWaitMs();
  if (waitMs === Number.POSITIVE_INFINITY) return work(outer, () => undefined);
  const late = new AbortController();
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(lateFailure(waitMs));
    late.abort();
  }, waitMs);
  const begin = () => {
    if (late.signal.aborted) throw lateFailure(waitMs);
    clearTimeout(timer);
  };
  try {
    return await Promise.race([work(AbortSignal.any([outer, late.signal]), begin), givenUp]);
  } finally {
    clearTimeout(timer);
  }
};

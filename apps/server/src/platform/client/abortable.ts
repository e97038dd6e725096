import { PlatformFailure } from '../failures.ts';

/**
 * Stops waiting for the work as soon as the caller aborts, also while it waits for its bucket. The work
 * gets a signal of its own: a job's signal outlives thousands of calls, which must not leave listeners.
 */
export const abortable = async <Result>(
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  if (outer?.aborted) throw new PlatformFailure('aborted');
  const inner = new AbortController();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => {
    inner.abort();
    reject(new PlatformFailure('aborted'));
  };
  outer?.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(inner.signal), aborted]);
  } finally {
    outer?.removeEventListener('abort', abort);
  }
};

/** After `timeoutMs` it fails as `unreachable`; before that, it can be aborted by the caller. */
export const withinTime = async <Result>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
  outer?: AbortSignal,
): Promise<Result> => {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await abortable(outer ? AbortSignal.any([outer, timeout]) : timeout, work);
  } catch (error) {
    const isLate = timeout.aborted && !outer?.aborted;
    throw isLate ? new PlatformFailure('unreachable', { cause: error }) : error;
  }
};

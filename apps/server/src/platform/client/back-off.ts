import { PlatformFailure } from '../failures.ts';

const attempts = 4;
const defaultFirstBackOffMs = 500;
/** A person may be waiting; the caller decides about a longer pause. */
const longestPauseMs = 5000;

/** Tries again while the failure is worth another attempt, and then throws the last one. */
export const withBackOff = async <Result>(
  attempt: () => Promise<Result>,
  isWorthAnother: (failure: PlatformFailure) => boolean,
  signal?: AbortSignal,
  firstBackOffMs = defaultFirstBackOffMs,
): Promise<Result> => {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (failure) {
      const isFinal = !(failure instanceof PlatformFailure) || !isWorthAnother(failure);
      if (isFinal || tried === attempts) throw failure;
      await Bun.sleep(failure.retryAfterMs ?? backOffMs(firstBackOffMs, tried));
      if (signal?.aborted) throw new PlatformFailure('aborted');
    }
  }
};

/** For calls that are safe to repeat: no answer, or a short wait that the platform asks for. */
export const isTransient = ({ kind, retryAfterMs = Number.POSITIVE_INFINITY }: PlatformFailure) =>
  kind === 'unreachable' || (kind === 'rateLimited' && retryAfterMs <= longestPauseMs);

/** Doubles each time, with jitter, so that clients do not all return at once. */
const backOffMs = (firstMs: number, tried: number): number => {
  const longest = firstMs * 2 ** (tried - 1);
  return longest / 2 + (Math.random() * longest) / 2;
};

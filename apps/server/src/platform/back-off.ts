import { PlatformFailure } from './failures.ts';

const attempts = 4;
const usualFirstBackOffMs = 500;
/** A person may be waiting for it; a longer pause is for the caller to decide upon. */
const longestPauseMs = 5000;

/** Tries again while a failure passes for one that time heals, and then fails with the last one. */
export const withBackOff = async <Result>(
  attempt: () => Promise<Result>,
  isWorthAnother: (failure: PlatformFailure) => boolean,
  signal?: AbortSignal,
  firstBackOffMs = usualFirstBackOffMs,
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

/** For whatever may be done twice: no answer, or a short wait that was asked for. */
export const isPassing = ({ kind, retryAfterMs = Number.POSITIVE_INFINITY }: PlatformFailure) =>
  kind === 'unreachable' || (kind === 'rateLimited' && retryAfterMs <= longestPauseMs);

/** Longer each time, and never the same for two, so that nobody comes back all at once. */
const backOffMs = (firstMs: number, tried: number): number => {
  const longest = firstMs * 2 ** (tried - 1);
  return longest / 2 + (Math.random() * longest) / 2;
};

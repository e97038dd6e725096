import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * A job holds a runner that others may wait for. So it says how long it waits for its turn at something that
 * is limited, such as a bucket of the platform. What would have to wait longer fails with the time after which
 * to try again, and whoever runs the job tries then.
 */

const longestWaits = new AsyncLocalStorage<number>();

export const withPatience = <Result>(ms: number, work: () => Promise<Result>): Promise<Result> =>
  longestWaits.run(ms, work);

/** Without a bound where nobody has set one, as in requests, which have time limits of their own. */
export const longestWaitMs = (): number => longestWaits.getStore() ?? Number.POSITIVE_INFINITY;

/** The time to wait that a failure asks for: then nothing is wrong, it is only too early. */
export const askedWaitMs = (failure: unknown): number | undefined =>
  failure instanceof Error &&
  'retryAfterMs' in failure &&
  typeof failure.retryAfterMs === 'number' &&
  failure.retryAfterMs >= 0
    ? failure.retryAfterMs
    : undefined;

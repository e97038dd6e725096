import {
  HoldfastError,
  HoldfastJobFailed,
  HoldfastNetworkError,
  type JobRecord,
} from './errors.ts';
import { sleep } from './sleep.ts';

/** How far a job is, told from its status. */
export type Stage = 'underWay' | 'done' | 'failed';

type StatusDone<Stages> = {
  [Status in keyof Stages]: Stages[Status] extends 'done' ? Status : never;
}[keyof Stages];

/** A job's record at its good end. */
export type Done<Job, Stages> = Job & { status: StatusDone<Stages> };

export type WaitOptions<Job> = {
  /** Told of the record each time it was read, at the end too. */
  onProgress?: (job: Job) => void;
  signal?: AbortSignal;
};

const firstPauseMs = 500;
const longestPauseMs = 5000;
/** A service that starts anew is back sooner; one that is gone should not be waited for in vain. */
const patienceMs = 60_000;

/** Reads a job again and again until it has ended; throws `HoldfastJobFailed` if not well. */
export const waitForEnd = async <
  Job extends JobRecord,
  Stages extends Record<Job['status'], Stage>,
>(
  read: (limits: { signal?: AbortSignal }) => Promise<Job>,
  stages: Stages,
  { onProgress, signal }: WaitOptions<Job>,
): Promise<Done<Job, Stages>> => {
  let heardAt = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const job = await readIfReachable(() => read({ signal }), heardAt + patienceMs);
    if (job) {
      heardAt = Date.now();
      onProgress?.(job);
      const status: Job['status'] = job.status;
      if (stages[status] === 'failed') throw new HoldfastJobFailed(job);
      // The line says what the type says: its status is one of those that are done.
      if (stages[status] === 'done') return job as Done<Job, Stages>;
    }
    await sleep(pauseMs, signal);
  }
};

const readIfReachable = async <Job>(read: () => Promise<Job>, until: number) => {
  try {
    return await read();
  } catch (error) {
    if (!isPassing(error) || Date.now() > until) throw error;
    return undefined;
  }
};

const isPassing = (error: unknown): boolean =>
  error instanceof HoldfastNetworkError ||
  (error instanceof HoldfastError && (error.status === 429 || error.status >= 500));

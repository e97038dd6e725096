import { isCancelledStatement } from '../../db/failures.ts';
import { DeadlinePassed } from '../../kernel/deadline.ts';
import { readTooHeavy, tooManyRequests } from '../../kernel/errors.ts';
import { createFairSemaphore, WaitedTooLong } from '../../kernel/fair-semaphore.ts';

type Limit = { atOnce: number; longestWaitMs: number };

/** The changes of one account queue at its audit chain anyway. */
const changes: Limit = { atOnce: 2, longestWaitMs: 3000 };
/** Lists, searches and analytics. After the wait there must be time left for the read itself. */
const heavyReads: Limit = { atOnce: 3, longestWaitMs: 2500 };
/** Calls of the platform or the blob store before a change, such as for a restore's plan. */
const externalCalls: Limit = { atOnce: 4, longestWaitMs: 3000 };

/** Each has its file in memory, from the first byte on, several times. */
const uploads: Limit = { atOnce: 2, longestWaitMs: 3000 };
const uploadsOfAll: Limit = { atOnce: 24, longestWaitMs: 3000 };

type Slots = { running: number; waiting: (() => void)[] };

/**
 * A semaphore per account: so many requests of one account run at once in this process. The others wait
 * without a database connection, so that a flood of one account leaves the pool to all others.
 */
export const createAccountSemaphore = (
  { atOnce, longestWaitMs }: Limit = changes,
  patience = 1,
) => {
  const accounts = new Map<string, Slots>();

  const acquire = async (accountId: string): Promise<Slots> => {
    const slots = accounts.get(accountId) ?? { running: 0, waiting: [] };
    accounts.set(accountId, slots);
    if (slots.running >= atOnce) await waitForSlot(slots, longestWaitMs * patience);
    else slots.running++;
    return slots;
  };

  const release = (accountId: string, slots: Slots): void => {
    const next = slots.waiting.shift();
    if (next) next();
    else slots.running--;
    if (slots.running === 0) accounts.delete(accountId);
  };

  return async <T>(accountId: string, work: () => Promise<T>): Promise<T> => {
    const slots = await acquire(accountId);
    try {
      return await work();
    } finally {
      release(accountId, slots);
    }
  };
};

/** Made once per process: an account's keys and sessions share its slots. */
export const createAccountConcurrency = (patience?: number) => ({
  limitChanges: createAccountSemaphore(changes, patience),
  limitHeavyReads: createAccountSemaphore(heavyReads, patience),
  limitExternalCalls: createAccountSemaphore(externalCalls, patience),
  limitUploads: createUploadLimit(patience),
});

/** For one account, and for all together. */
const createUploadLimit = (patience = 1) => {
  const limitOwn = createAccountSemaphore(uploads, patience);
  const { atOnce, longestWaitMs } = uploadsOfAll;
  const limitAll = createFairSemaphore({ atOnce, longestWaitMs: longestWaitMs * patience });
  return <T>(accountId: string, work: () => Promise<T>): Promise<T> =>
    limitOwn(accountId, () =>
      limitAll(accountId, work).catch((error: unknown) => {
        throw error instanceof WaitedTooLong ? tooManyRequests(1) : error;
      }),
    );
};

export type AccountConcurrency = ReturnType<typeof createAccountConcurrency>;

/** A released slot is handed on to the first that waits, so `running` does not change. */
const waitForSlot = (slots: Slots, longestWaitMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const proceed = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      slots.waiting.splice(slots.waiting.indexOf(proceed), 1);
      reject(tooManyRequests(1));
    }, longestWaitMs);
    slots.waiting.push(proceed);
  });

const retryAfterSeconds = 5;

/**
 * A heavy read that ran out of time asked for too much beside the account's other reads, and an upload came
 * with too many others: 429. While the database itself does not answer, the failure is ours.
 */
export const throwTooHeavy =
  ({ isDatabaseReachable }: { isDatabaseReachable(): boolean }) =>
  (error: unknown): never => {
    const isTimeout = error instanceof DeadlinePassed || isCancelledStatement(error);
    throw isTimeout && isDatabaseReachable() ? readTooHeavy(retryAfterSeconds) : error;
  };

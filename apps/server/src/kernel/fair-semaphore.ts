/** No slot became free in time. */
export class WaitedTooLong extends Error {
  constructor() {
    super('No slot became free in time');
    this.name = 'WaitedTooLong';
  }
}

/**
 * Runs at most `atOnce` works at once. Of the accounts that wait each has its turn: a flood of one delays
 * another by the works under way and one of its own, however many wait.
 */
export const createFairSemaphore = ({
  atOnce,
  longestWaitMs,
}: {
  atOnce: number;
  longestWaitMs: number;
}) => {
  let free = atOnce;
  /** In the order of their turns. */
  const accounts = new Map<string, (() => void)[]>();

  const wait = (accountId: string, longestMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiting = accounts.get(accountId) ?? [];
      accounts.set(accountId, waiting);
      const proceed = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(proceed), 1);
        if (waiting.length === 0 && accounts.get(accountId) === waiting) accounts.delete(accountId);
        reject(new WaitedTooLong());
      }, longestMs);
      waiting.push(proceed);
    });

  /** The slot goes straight to the next one, without becoming free for a newcomer in between. */
  const release = (): void => {
    const [turn] = accounts;
    if (!turn) {
      free += 1;
      return;
    }
    const [accountId, waiting] = turn;
    accounts.delete(accountId);
    const next = waiting.shift();
    if (waiting.length > 0) accounts.set(accountId, waiting);
    next?.();
  };

  return async <Result>(
    accountId: string,
    work: () => Promise<Result>,
    longestMs = longestWaitMs,
  ): Promise<Result> => {
    if (free > 0) free -= 1;
    else await wait(accountId, longestMs);
    try {
      return await work();
    } finally {
      release();
    }
  };
};

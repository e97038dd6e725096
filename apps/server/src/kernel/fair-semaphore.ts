/** No slot became free in time. */
export class WaitedTooLong extends Error {
  constructor() {
    super('No slot became free in time');
    this.name = 'WaitedTooLong';
  }
}

type Waiting = { isLateAt: number; proceed(): void };

/** For so long it is remembered how much each account had. */
const windowMs = 60_000;

/**
 * Runs at most `atOnce` works at once. Of the accounts that wait the one goes first whose works have taken
 * least time lately: a flood of others delays an account that asks for little by the works under way, however
 * many they are. Those who had as much as each other have their turns in order. Works that are short each would
 * keep out an account that had a long one, so every second turn is for whoever has waited half as long as they may.
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
  const accounts = new Map<string, Waiting[]>();
  const usage = createUsage();
  let wasForLate = false;

  const wait = (accountId: string, longestMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiting = accounts.get(accountId) ?? [];
      accounts.set(accountId, waiting);
      const turn: Waiting = {
        isLateAt: performance.now() + longestMs / 2,
        proceed() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(turn), 1);
        if (waiting.length === 0 && accounts.get(accountId) === waiting) accounts.delete(accountId);
        reject(new WaitedTooLong());
      }, longestMs);
      waiting.push(turn);
    });

  /** The slot goes straight to the next one, without becoming free for a newcomer in between. */
  const release = (): void => {
    const late = wasForLate ? undefined : findLate(accounts);
    wasForLate = late !== undefined;
    const accountId = late ?? usage.findLeast(accounts.keys());
    const waiting = accountId === undefined ? undefined : accounts.get(accountId);
    if (accountId === undefined || !waiting) {
      free += 1;
      return;
    }
    accounts.delete(accountId);
    const next = waiting.shift();
    if (waiting.length > 0) accounts.set(accountId, waiting);
    next?.proceed();
  };

  return async <Result>(
    accountId: string,
    work: () => Promise<Result>,
    longestMs = longestWaitMs,
  ): Promise<Result> => {
    if (free > 0) free -= 1;
    else await wait(accountId, longestMs);
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      usage.add(accountId, performance.now() - startedAt);
      release();
    }
  };
};

/** Who has waited half as long as they may, the one whose half was over first. */
const findLate = (accounts: ReadonlyMap<string, readonly Waiting[]>): string | undefined => {
  let [late, lateAt]: [string | undefined, number] = [undefined, performance.now()];
  for (const [accountId, [first]] of accounts) {
    if (first && first.isLateAt <= lateAt) [late, lateAt] = [accountId, first.isLateAt];
  }
  return late;
};

/** How long the works of each account took in the window. */
const createUsage = () => {
  const usedMs = new Map<string, number>();
  let clearAt = 0;
  return {
    add(accountId: string, ms: number): void {
      const now = performance.now();
      if (now >= clearAt) {
        usedMs.clear();
        clearAt = now + windowMs;
      }
      usedMs.set(accountId, (usedMs.get(accountId) ?? 0) + ms);
    },
    /** Of several the first. */
    findLeast(accountIds: Iterable<string>): string | undefined {
      let [least, leastMs]: [string | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
      for (const accountId of accountIds) {
        const ms = usedMs.get(accountId) ?? 0;
        if (ms < leastMs) [least, leastMs] = [accountId, ms];
      }
      return least;
    },
  };
};

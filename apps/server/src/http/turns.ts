import { tooManyRequests } from '../kernel/errors.ts';

type Bound = { atOnce: number; longestWaitMs: number };

/** The changes of one account wait for each other at its audit chain anyway. */
const changes: Bound = { atOnce: 2, longestWaitMs: 3000 };
/** Lists, searches and analytics. Whoever waits for its turn needs time for the read itself as well. */
const heavyReads: Bound = { atOnce: 3, longestWaitMs: 2500 };
/** What is asked of the platform or the blob store before a change, such as a restore's plan. */
const outsideCalls: Bound = { atOnce: 4, longestWaitMs: 3000 };

type Turn = { running: number; waiting: (() => void)[] };

/**
 * So many requests of one account run at once in this process; the others wait without holding a
 * connection, so that one account's flood leaves the pool and the database to all others.
 */
export const createTurns = ({ atOnce, longestWaitMs }: Bound = changes, patience = 1) => {
  const turns = new Map<string, Turn>();

  const take = async (accountId: string): Promise<Turn> => {
    const turn = turns.get(accountId) ?? { running: 0, waiting: [] };
    turns.set(accountId, turn);
    if (turn.running >= atOnce) await waitFor(turn, longestWaitMs * patience);
    else turn.running++;
    return turn;
  };

  const giveBack = (accountId: string, turn: Turn): void => {
    const next = turn.waiting.shift();
    if (next) next();
    else turn.running--;
    if (turn.running === 0) turns.delete(accountId);
  };

  return async <T>(accountId: string, work: () => Promise<T>): Promise<T> => {
    const turn = await take(accountId);
    try {
      return await work();
    } finally {
      giveBack(accountId, turn);
    }
  };
};

/** Made once for all entrances: an account's keys and sessions share its turns. */
export const createAccountTurns = (patience?: number) => ({
  changeInTurn: createTurns(changes, patience),
  readInTurn: createTurns(heavyReads, patience),
  askInTurn: createTurns(outsideCalls, patience),
});

export type AccountTurns = ReturnType<typeof createAccountTurns>;

/** Whoever gives a turn back hands it on, so `running` stays as it is. */
const waitFor = (turn: Turn, longestWaitMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const proceed = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      turn.waiting.splice(turn.waiting.indexOf(proceed), 1);
      reject(tooManyRequests(1));
    }, longestWaitMs);
    turn.waiting.push(proceed);
  });

import { tooManyRequests } from '../kernel/errors.ts';

/** How many changes of one account run at once in this process; the rest wait outside the pool. */
const mostAtOnce = 2;
const longestWaitMs = 3000;

type Turn = { running: number; waiting: (() => void)[] };

/**
 * The changes of one account wait for each other at its audit chain anyway. Here they wait without
 * holding a connection, so that one account's flood leaves the pool to all others.
 */
export const createTurns = () => {
  const turns = new Map<string, Turn>();

  const take = async (accountId: string): Promise<Turn> => {
    const turn = turns.get(accountId) ?? { running: 0, waiting: [] };
    turns.set(accountId, turn);
    if (turn.running >= mostAtOnce) await waitFor(turn);
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

/** Whoever gives a turn back hands it on, so `running` stays as it is. */
const waitFor = (turn: Turn): Promise<void> =>
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

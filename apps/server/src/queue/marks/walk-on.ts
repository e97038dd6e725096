import type { Database } from '../../db/connect.ts';
import { findMark, storeMark } from './queries.ts';

const beforeAllIds = '00000000-0000-0000-0000-000000000000';

type Walk = {
  /** By which the next run finds where this one ended. */
  name: string;
  /** A run ends when it has looked at so many. */
  most: number;
  signal: AbortSignal;
  /** Looks at some, in the order of their ids; `last` is the last one of them, undefined at the end. */
  look(after: string): Promise<{ last: string | undefined; seen: number }>;
};

/**
 * Goes through what is too much for one run: from where the last run ended, over the end to the beginning, and no
 * further than once around. Two runs at a time look at some twice, and miss none for longer than a round.
 */
export const walkOn = async (db: Database, { name, most, signal, look }: Walk): Promise<void> => {
  const begin = (await findMark(db, name)) ?? beforeAllIds;
  let isAround = begin === beforeAllIds;
  let after = begin;
  for (let left = most; left > 0; ) {
    signal.throwIfAborted();
    const { last, seen } = await look(after);
    left -= seen;
    after = last ?? beforeAllIds;
    await storeMark(db, name, after);
    if (isAround && (last === undefined || (begin !== beforeAllIds && last >= begin))) return;
    isAround ||= last === undefined;
  }
};

import type { Hand } from './hand.ts';
import type { HonestAct, HonestRole } from './honest-act.ts';

/** What somebody does, before it is known who and when. */
export type Doing = Omit<HonestAct, 'atMs' | 'by'>;

/** One person or bot at work: each thing some seconds after the one before. */
export const atPace = (
  hand: Hand,
  { by, startMs, fromS, toS }: { by: HonestRole; startMs: number; fromS: number; toS: number },
  doings: Doing[],
): HonestAct[] => {
  let atMs = startMs;
  return doings.map((doing) => {
    atMs += hand.between(fromS, toS) * 1000;
    return { atMs: Math.round(atMs), by, ...doing };
  });
};

import type { RaidThreshold } from '@holdfast/contract';

/**
 * A wave: so many young accounts joined within so many seconds. It is
 *
 *   live    from the first of these joins on; whoever joins meanwhile is looked at (`score-newcomer.ts`)
 *   over    when no young account has joined for `quietMs`, or after `longestWaveMs` at the latest
 *
 * Its incident is `open` until invites are paused, then `contained`. It ends by the owner's decision about
 * the newcomers who are held: `dismissed` if they are kept, `repaired` once they are removed. Without a
 * decision they are kept after `undecidedDays`.
 */
const minuteMs = 60_000;
export const quietMs = 5 * minuteMs;
export const longestWaveMs = 24 * 60 * minuteMs;
export const undecidedDays = 30;

/** More are counted, but not listed one by one. */
export const mostListed = 100_000;

/** Of moments in order, the first of those that make a wave; undefined where there is none. */
export const findWaveStart = (
  timesMs: readonly number[],
  { joins, perSeconds }: Pick<RaidThreshold, 'joins' | 'perSeconds'>,
): number | undefined => {
  const windowMs = perSeconds * 1000;
  const starts = timesMs.slice(0, Math.max(0, timesMs.length - joins + 1));
  return starts.find((startMs, i) => (timesMs[i + joins - 1] ?? Infinity) - startMs < windowMs);
};

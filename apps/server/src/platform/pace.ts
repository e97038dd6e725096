/** What the platform lets one bot do in all. */
export const callsPerSecond = 50;

/**
 * No more than so many in any stretch of that length, wherever it begins. The library counts by
 * seconds of its own: the end of one and the start of the next can hold twice as many.
 */
export const createPace = (limit: number, perMs: number): (() => Promise<void>) => {
  const turns = new Array<number>(limit).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  return async () => {
    const now = performance.now();
    const turn = Math.max(now, (turns[next] ?? now) + perMs);
    turns[next] = turn;
    next = (next + 1) % limit;
    if (turn > now) await Bun.sleep(turn - now);
  };
};

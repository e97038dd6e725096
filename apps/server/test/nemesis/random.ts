/** The same numbers for the same seed, from 0 to below 1. */
export const createRandom = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** So many of them, spread over the whole list; all where there are no more. */
export const pickSpread = <Thing>(things: Thing[], most: number, random: () => number): Thing[] => {
  if (things.length <= most) return things;
  const stride = things.length / most;
  return Array.from(
    { length: most },
    (_, index) => things[Math.floor((index + random()) * stride)],
  ).filter((thing) => thing !== undefined);
};

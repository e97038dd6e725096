/** The same row of numbers for the same seed (mulberry32), so that a guild id always means one guild. */
export const createSeededRandom = (seed: string) => {
  let state = Number(Bun.hash.crc32(seed)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** A whole number from 0 to below `bound`. */
    below: (bound: number): number => Math.floor(next() * bound),
    isChance: (chance: number): boolean => next() < chance,
    pick: <Item>(items: readonly [Item, ...Item[]]): Item =>
      items[Math.floor(next() * items.length)] ?? items[0],
  };
};

export type SeededRandom = ReturnType<typeof createSeededRandom>;

/** What a made-up month draws from: chance by a seed, and names and places that are used once. */
export const createHand = (seed: number) => {
  const chance = createChance(seed);
  const used = new Map<string, number>();
  const between = (from: number, to: number): number => from + chance() * (to - from);
  const next = (of: string): number => {
    const number = used.get(of) ?? 0;
    used.set(of, number + 1);
    return number;
  };
  return {
    between,
    next,
    count: (from: number, to: number): number => Math.floor(between(from, to + 1)),
    chance: (of: number): boolean => chance() < of,
    name: (of: string): string => `${of}-${next(of)}`,
    left: (of: string, most: number): number => most - (used.get(of) ?? 0),
    pick: <Item>(items: readonly Item[]): Item => {
      const item = items[Math.floor(chance() * items.length)];
      if (item === undefined) throw new Error('Nothing to pick from');
      return item;
    },
    weighted: <Item>(items: readonly (readonly [Item, number])[]): Item => {
      let left = chance() * items.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [item, weight] of items) {
        left -= weight;
        if (left < 0) return item;
      }
      throw new Error('Nothing to choose from');
    },
  };
};

export type Hand = ReturnType<typeof createHand>;

/** Mulberry32. */
const createChance = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

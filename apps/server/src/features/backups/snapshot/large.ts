import type { AsideMode } from '../../../kernel/aside.ts';

/** Whatever is computed from so few things takes less than a request of the database. */
const fewThings = 1000;

/**
 * Where work on these guilds or snapshots is done. Overwrites are what a guild can have most of; an imported
 * document can have more of anything that is in a list, such as the words of a rule.
 */
export const modeFor = (...guilds: object[]): AsideMode =>
  countThings(guilds, fewThings) > fewThings ? 'worker' : 'inline';

/** The entries of all lists in it, until there are more than that. They nest as deep as their shapes do. */
export const countThings = (value: object, most: number): number => {
  let count = Array.isArray(value) ? value.length : 0;
  if (count > most) return count;
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) count += countThings(inner, most - count);
    if (count > most) break;
  }
  return count;
};

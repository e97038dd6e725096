import type { AsideMode } from '../../../kernel/aside.ts';

/** Whatever is computed from so few things takes less than a request of the database. */
const fewThings = 1000;

/** Where work on these guilds or snapshots is done. Overwrites are what a guild can have most of. */
export const modeFor = (...guilds: object[]): AsideMode =>
  guilds.reduce((sum, guild) => sum + countThings(guild), 0) > fewThings ? 'worker' : 'inline';

const countThings = (guild: object): number => {
  let count = 0;
  for (const list of Object.values(guild)) {
    if (!Array.isArray(list)) continue;
    count += list.length;
    for (const { overwrites } of list) count += overwrites?.length ?? 0;
  }
  return count;
};

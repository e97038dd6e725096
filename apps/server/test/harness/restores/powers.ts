import type { TestGuild } from '../guilds/arbitrary-guild.ts';
import { readAccess } from './access.ts';
import { attackers } from './attacked-guild.ts';

/** What attackers keep is decided by containment. */
const others = ({ members }: TestGuild) =>
  members.filter(({ userId }) => !attackers.includes(userId));

/** What each person may do in the guild and in each of its channels, by names. */
export const powersOf = (guild: TestGuild): Map<string, bigint> => {
  const { bits } = readAccess(guild);
  const inChannels = guild.channels.flatMap(({ id, name }) =>
    others(guild).map(
      ({ userId }) =>
        [`${userId} in ${name}`, bits.get(id)?.get(`member ${userId}`) ?? 0n] as const,
    ),
  );
  const inGuild = others(guild).map(
    ({ userId, roleIds }) =>
      [
        userId,
        guild.roles
          .filter(({ id }) => id === guild.guildId || roleIds.includes(id))
          .reduce((all, { permissions }) => all | BigInt(permissions), 0n),
      ] as const,
  );
  return new Map([...inChannels, ...inGuild]);
};

/** Whoever has more than they have in any of the allowed guilds. */
export const findGiven = (after: TestGuild, ...allowed: TestGuild[]): string[] => {
  const all = allowed.map(powersOf);
  return [...powersOf(after)].flatMap(([who, bits]) => {
    const may = all.reduce((sum, powers) => sum | (powers.get(who) ?? 0n), 0n);
    return (bits & ~may) === 0n ? [] : [`${who}: ${bits & ~may}`];
  });
};

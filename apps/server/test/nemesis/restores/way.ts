import { damageGuild, type GuildState } from '../guild/guild.ts';

/** How the backup is restored: what is asked for, and what the guild is to be afterwards. */
export type Way = { body: object; isRepaired: boolean; expected(whole: GuildState): GuildState };

export const replacing: Way = { body: {}, isRepaired: false, expected: (whole) => whole };

/** Bans that were made since stay. */
export const repairing: Way = {
  body: { mode: 'REPAIR', deleteExtra: true },
  isRepaired: true,
  expected(whole) {
    const isOld = (userId: string) => whole.bans.some(({ user }) => user.id === userId);
    const since = damageGuild(whole).bans.filter(({ user }) => !isOld(user.id));
    return { ...whole, bans: [...whole.bans, ...since] };
  },
};

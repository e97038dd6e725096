import type { Role } from './guild.ts';
import { allPermissions, includes, permission } from './permissions.ts';
import type { BotPlatform, CallOptions } from './port.ts';

/** Who a bot is in a guild. */
export type BotSelf = { userId: string; roleIds: string[] };

/** What a bot can do in a guild. */
export type BotPowers = {
  userId: string;
  isAdministrator: boolean;
  permissions: bigint;
  /** Whether it stands above a role, and so may edit, place, give and delete it. */
  reaches(role: Pick<Role, 'id' | 'position'>): boolean;
  holds(roleId: string): boolean;
};

type RankedGuild = { guildId: string; ownerId: string; roles: Role[] };

export const readSelf = async (
  bot: BotPlatform,
  guildId: string,
  options: CallOptions,
): Promise<BotSelf> => {
  const { userId } = await bot.readBot(options);
  const { roleIds } = await bot.guild(guildId, options).readMember(userId);
  return { userId, roleIds };
};

export const powersOf = (
  bot: BotSelf,
  guild: RankedGuild,
  permissionsOf: (role: Role) => bigint = (role) => BigInt(role.permissions),
): BotPowers => {
  const isOwner = guild.ownerId === bot.userId;
  const own = guild.roles.filter(({ id }) => bot.roleIds.includes(id));
  const everyone = guild.roles.filter(({ id }) => id === guild.guildId);
  const granted = [...own, ...everyone].map(permissionsOf).reduce((all, bits) => all | bits, 0n);
  const isAdministrator = isOwner || includes(granted, permission.administrator);
  const highest = [...own, ...everyone].sort(byRank).at(-1);
  return {
    userId: bot.userId,
    isAdministrator,
    permissions: isAdministrator ? allPermissions : granted,
    reaches: (role) => isOwner || (highest !== undefined && byRank(highest, role) > 0),
    holds: (roleId) => bot.roleIds.includes(roleId),
  };
};

type Ranked = Pick<Role, 'id' | 'position'>;

/** Lowest first. Of two roles on one position the older one stands higher. */
export const byRank = (one: Ranked, other: Ranked): number => {
  if (one.position !== other.position) return one.position - other.position;
  return BigInt(one.id) < BigInt(other.id) ? 1 : BigInt(one.id) > BigInt(other.id) ? -1 : 0;
};

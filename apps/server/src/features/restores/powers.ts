import type { Role } from '../../platform/guild.ts';
import { allPermissions, includes, permission } from './permissions.ts';
import type { BotSelf, PresentGuild } from './step.ts';

/** What the restoring bot can do in the target, from the first step to the last. */
export type BotPowers = {
  userId: string;
  isAdministrator: boolean;
  permissions: bigint;
  /** Whether it stands above a role, and so may edit, place, give and delete it. */
  reaches(role: Pick<Role, 'id' | 'position'>): boolean;
  holds(roleId: string): boolean;
};

/**
 * Counts only the permissions that the restore itself leaves to the bot: of a role that it will take
 * something from, what remains.
 */
export const powersOf = (
  bot: BotSelf,
  present: PresentGuild,
  wantedFor: (role: Role) => Role | undefined,
): BotPowers => {
  const isOwner = present.ownerId === bot.userId;
  const own = present.roles.filter(({ id }) => bot.roleIds.includes(id));
  const everyone = present.roles.filter(({ id }) => id === present.guildId);
  const granted = [...own, ...everyone]
    .map((role) => lastingPermissions(role, wantedFor(role)))
    .reduce((all, bits) => all | bits, 0n);
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

const lastingPermissions = (role: Role, wanted: Role | undefined): bigint => {
  const now = BigInt(role.permissions);
  return wanted && !role.isManaged ? now & BigInt(wanted.permissions) : now;
};

type Ranked = Pick<Role, 'id' | 'position'>;

/** Lowest first. Of two roles on one position the older one stands higher. */
export const byRank = (one: Ranked, other: Ranked): number => {
  if (one.position !== other.position) return one.position - other.position;
  return BigInt(one.id) < BigInt(other.id) ? 1 : BigInt(one.id) > BigInt(other.id) ? -1 : 0;
};

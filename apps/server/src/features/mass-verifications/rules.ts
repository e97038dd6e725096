import { type MassVerificationResult, massVerificationResults } from '@holdfast/contract';
import type { FailureKind } from '../../platform/failures.ts';
import { type BotPermissions, includes, permission } from '../../platform/permissions.ts';
import type { CurrentMember, Guild } from '../../platform/port.ts';

/**
 * A mass verification goes queued → running → completed, failed or cancelled.
 *
 * It lists the guild's members twice, in the order of their ids: once to count those who pass the filter,
 * once to give them the role. The last person that was processed is stored, and before each call the
 * person that it is for. A worker that takes over goes on after the last one. If the person of the
 * last call has the role by then, that call gave it.
 *
 * Who leaves meanwhile, is put on the blacklist or is held by a raid counts no longer. What concerns
 * everybody, such as a role that the bot may not give, ends it.
 */

type Counted = { status: string; total: number; processed: number };

/** 100 only once it is completed. */
export const progressOf = ({ status, total, processed }: Counted): number => {
  if (status === 'completed') return 100;
  return total === 0 ? 0 : Math.min(99, Math.floor((processed / total) * 100));
};

type Results = Record<MassVerificationResult, number>;

/** Their sum is always `processed`: a constraint of the table. */
export const resultsOf = (counts: Results): Results => massVerificationResults.parse(counts);

type Filter = { guildId: string; joinedBefore: Date | null; roleId: string | null };

/** Bots are left out, and with a date everybody of whom the platform tells none. */
export const passesFilter = (
  { isBot, joinedAt, roleIds }: Pick<CurrentMember, 'isBot' | 'joinedAt' | 'roleIds'>,
  { guildId, joinedBefore, roleId }: Filter,
): boolean => {
  if (isBot) return false;
  if (joinedBefore && !(joinedAt && Date.parse(joinedAt) < joinedBefore.getTime())) return false;
  // Everybody has the role with the guild's own id, and nobody's list names it.
  return roleId === null || roleId === guildId || roleIds.includes(roleId);
};

type RoleRequest = Omit<Filter, 'joinedBefore'> & { verifiedRoleId: string };

/** Why the bot cannot give the role to anybody; checked before the first call. */
export const obstacleIn = (
  { roles }: Pick<Guild, 'roles'>,
  bot: Pick<BotPermissions, 'permissions' | 'reaches'>,
  { guildId, verifiedRoleId, roleId }: RoleRequest,
): string | undefined => {
  const role = roles.find(({ id }) => id === verifiedRoleId);
  if (!role || verifiedRoleId === guildId) {
    return 'The verified role is not in the server any more: choose another in the settings';
  }
  if (role.isManaged) {
    return `The role ${role.name} belongs to an integration, and nobody can give it: choose another verified role`;
  }
  if (!includes(bot.permissions, permission.manageRoles)) {
    return 'The bot may not give roles: give it the permission to manage roles, then start again';
  }
  if (!bot.reaches(role)) {
    return `The role ${role.name} stands above the bot: move the bot's own role higher, then start again`;
  }
  const isFilterGone = roleId !== null && roles.every(({ id }) => id !== roleId);
  return isFilterGone ? 'The role to filter by is not in the server' : undefined;
};

/** Failures after which nobody can be given the role. */
const losses: FailureKind[] = [
  'botTokenDead',
  'noAccess',
  'unknownGuild',
  'missingPermission',
  'unknownRole',
  'twoFactorRequired',
];
export const isLoss = (kind: FailureKind): boolean => losses.includes(kind);

/** The person left meanwhile. */
export const isGone = (kind: FailureKind): boolean =>
  kind === 'unknownMember' || kind === 'unknownUser';

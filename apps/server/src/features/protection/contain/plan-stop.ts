import type { Role } from '../../../platform/guild.ts';
import {
  type BotPermissions,
  compareRank,
  dangerous,
  includes,
  permission,
} from '../../../platform/permissions.ts';
import type { CurrentMember } from '../../../platform/port.ts';
import type { ExecutorCode } from '../table.ts';

export type StopPlan = {
  /** The roles that the member has now. */
  held: string[];
  /** Those that are to be taken; none for a bot that is removed. */
  take: string[];
  isKicked: boolean;
  /** Null where this leaves them without power. */
  code: ExecutorCode | null;
};

/** What of a role decides how much power it gives, and who can take it. */
export type PowerRole = Pick<Role, 'id' | 'permissions' | 'position' | 'isManaged'>;

type StopContext = {
  guild: { guildId: string; ownerId: string; roles: readonly PowerRole[] };
  bot: BotPermissions;
};

/** What of the dangerous permissions destroys a guild: with these left, somebody is not stopped. */
export const destructive =
  permission.administrator |
  permission.manageGuild |
  permission.manageRoles |
  permission.manageChannels |
  permission.manageWebhooks |
  permission.banMembers |
  permission.kickMembers |
  permission.manageExpressions;

/** How to take somebody's power, reversibly: the roles that give it, or the guild where it is a bot. */
export const planStop = (
  member: Pick<CurrentMember, 'userId' | 'roleIds' | 'isBot'>,
  { guild, bot }: StopContext,
): StopPlan => {
  const held = member.roleIds;
  const plan = (given: Partial<StopPlan>): StopPlan => ({
    ...{ held, take: [], isKicked: false, code: null },
    ...given,
  });
  if (member.userId === bot.userId) return plan({ code: 'OWN_TOKEN' });
  if (member.userId === guild.ownerId) return plan({ code: 'OWNER' });
  const roles = guild.roles.filter(({ id }) => held.includes(id));
  if (member.isBot && mayKick(bot, roles)) return plan({ isKicked: true });
  const everyone = guild.roles.find(({ id }) => id === guild.guildId);
  const powerful = roles.filter((role) => gives(role, dangerous));
  const mayTake = includes(bot.permissions, permission.manageRoles);
  const takeable = powerful.filter((role) => mayTake && !role.isManaged && bot.reaches(role));
  const left = powerful.filter((role) => !takeable.includes(role) && gives(role, destructive));
  const code =
    left.length > 0
      ? reasonFor(left, mayTake)
      : everyone && gives(everyone, destructive)
        ? 'EVERYONE'
        : null;
  return plan({ take: takeable.map(({ id }) => id), code });
};

const mayKick = (bot: BotPermissions, roles: readonly PowerRole[]): boolean => {
  const highest = [...roles].sort(compareRank).at(-1);
  const reaches = highest === undefined || bot.reaches(highest);
  return reaches && includes(bot.permissions, permission.kickMembers);
};

const reasonFor = (left: readonly PowerRole[], mayTake: boolean): ExecutorCode => {
  if (!mayTake) return 'MISSING_PERMISSION';
  return left.every(({ isManaged }) => isManaged) ? 'MANAGED_ROLE' : 'ROLE_TOO_HIGH';
};

const gives = (role: Pick<Role, 'permissions'>, bits: bigint): boolean =>
  (BigInt(role.permissions) & bits) !== 0n;

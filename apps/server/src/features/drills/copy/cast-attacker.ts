import type { Role } from '../../../platform/guild.ts';
import {
  type BotMember,
  botPermissionsIn,
  compareRank,
  includes,
  permission,
} from '../../../platform/permissions.ts';

type RankedGuild = { guildId: string; ownerId: string; roles: Role[] };

/** The role that the attacker of a drill has, and whether the copy has to be given it. */
type Cast = { role: Role; isInvented: boolean };

/**
 * The most powerful role below the bot's own. Where all that can destroy something stand above it, the
 * highest of them: nobody who has it could be stopped. A guild without any gets one for the drill.
 */
export const castAttacker = (guild: RankedGuild, bot: BotMember, newId: () => string): Cast => {
  const own = botPermissionsIn(bot, guild);
  const powerful = guild.roles
    .filter(({ id, isManaged }) => !isManaged && id !== guild.guildId)
    .filter((role) => powerOf(role) > 0)
    .sort((one, other) => powerOf(one) - powerOf(other) || compareRank(one, other));
  const role = powerful.filter((one) => own.reaches(one)).at(-1) ?? powerful.at(-1);
  if (role) return { role, isInvented: false };
  return { role: inventRole(newId(), topPositionOf(guild, bot)), isInvented: true };
};

const powerOf = ({ permissions }: Role): number => {
  const bits = BigInt(permissions);
  if (includes(bits, permission.administrator)) return 3;
  const means = [permission.manageChannels, permission.manageRoles];
  return means.filter((bit) => includes(bits, bit)).length;
};

const topPositionOf = ({ roles }: RankedGuild, { roleIds }: BotMember): number =>
  Math.max(1, ...roles.filter(({ id }) => roleIds.includes(id)).map(({ position }) => position));

const inventRole = (id: string, position: number): Role => ({
  ...{ id, name: 'Moderator of the drill', position },
  colors: { primary: 0, secondary: null, tertiary: null },
  ...{ isHoisted: false, isMentionable: false, isManaged: false, botId: null },
  permissions: permission.administrator.toString(),
  ...{ iconHash: null, unicodeEmoji: null },
});

/** The roles of the copy: a role that is invented pushes those at its place and above up. */
export const rolesWith = (roles: readonly Role[], { role, isInvented }: Cast): Role[] =>
  isInvented
    ? [
        ...roles.map((one) =>
          one.position >= role.position ? { ...one, position: one.position + 1 } : one,
        ),
        role,
      ]
    : [...roles];

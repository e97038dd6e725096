import type { Database } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import {
  type BotPermissions,
  botPermissionsIn,
  includes,
  permission,
  readBotMember,
} from '../../../platform/permissions.ts';
import type { BotPlatform, CallOptions, Guild } from '../../../platform/port.ts';
import type { FindHeldBack } from '../../servers/power/held-back.ts';
import { judgeRoles } from '../../servers/power/judge-roles.ts';
import { chooseChannel } from './choose-channel.ts';

/** There is nowhere to invite people to; the message is for the owner. */
export class NoChannel extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoChannel';
  }
}

const maxAgeSeconds = 7 * 24 * 60 * 60;

type Place = CallOptions & {
  accountId: string;
  serverId: string;
  guildId: string;
  verifiedRoleId: string | null;
};

/**
 * An invite with the verified role where the bot can give it. At first only the bot itself can use it: if
 * this process dies before its code is stored, nobody is left with an invite that we cannot take back.
 */
export const createRecallInvite = async (
  { db, clock, findHeldBack }: { db: Database; clock: Clock; findHeldBack: FindHeldBack },
  bot: BotPlatform,
  { accountId, serverId, guildId, verifiedRoleId, ...options }: Place,
) => {
  const platform = bot.guild(guildId, options);
  const [guild, channels, member] = await Promise.all([
    platform.read(),
    platform.readChannels(),
    readBotMember(bot, guildId, options),
  ]);
  const permissions = { ...member, ...botPermissionsIn(member, { guildId, ...guild }) };
  const reachable = reachableRole(guild, permissions, verifiedRoleId);
  // It lasts for a week: what was read a moment ago for others is not enough.
  const { givable: roleIds } = await judgeRoles(bot, guildId, reachable, {
    coming: (await findHeldBack(db, { accountId, serverId })).coming,
    notOlderThanMs: 0,
  });
  const [roleId] = roleIds;
  const channel = chooseChannel({ guildId, guild, channels, bot: permissions, roleId });
  if (!channel) {
    throw new NoChannel(
      'The bot may create invites in no channel that it sees: give it the permission, then ask again',
    );
  }
  const createdAt = clock.now().getTime();
  const userIds = [member.userId];
  const invite = await platform.createInvite(channel.id, { userIds, roleIds, maxAgeSeconds });
  const expiresAt = invite.expiresAt ?? new Date(createdAt + maxAgeSeconds * 1000);
  return { code: invite.code, expiresAt };
};

/** None where it is gone, or out of the bot's reach. */
const reachableRole = (
  { roles }: Guild,
  bot: BotPermissions,
  roleId: string | null,
): { roleId: string }[] => {
  const role = roles.find(({ id }) => id === roleId);
  if (!role || role.isManaged || !bot.reaches(role)) return [];
  return includes(bot.permissions, permission.manageRoles) ? [{ roleId: role.id }] : [];
};

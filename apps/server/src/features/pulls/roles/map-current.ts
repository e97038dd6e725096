import type { Queryable } from '../../../db/connect.ts';
import type { Role } from '../../../platform/guild.ts';
import { botPermissionsIn, readBotMember } from '../../../platform/permissions.ts';
import type { BotPlatform, CurrentMember } from '../../../platform/port.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import { mapRoles, type SavedRoles } from './map-roles.ts';

type Request = {
  accountId: string;
  guildId: string;
  saved: SavedRoles;
  allowed: readonly string[];
  signal: AbortSignal;
};

/** Reads the target, and decides what the bot can give back there. */
export const mapCurrentRoles = async (
  db: Queryable,
  bot: BotPlatform,
  { accountId, guildId, saved, allowed, signal }: Request,
) => {
  const platform = bot.guild(guildId, { signal });
  const guild = await platform.read();
  const channels = await platform.readChannels();
  const member = await readBotMember(bot, guildId, { signal });
  const permissions = botPermissionsIn(member, { guildId, ...guild });
  const restoredIds = await resolveRestoredIds(db, accountId, 'roles', {
    ids: saved.roles.map(({ id }) => id),
    liveIds: new Set(guild.roles.map(({ id }) => id)),
  });
  const isBelow = (role: Role) => permissions.reaches(role);
  return {
    ...mapRoles({
      ...{ saved, bot: permissions, restoredIds, allowed: new Set(allowed) },
      target: { guildId, roles: guild.roles, channels },
    }),
    bot: permissions,
    canEdit: ({ userId, roleIds }: CurrentMember): boolean =>
      userId !== guild.ownerId &&
      guild.roles.filter(({ id }) => roleIds.includes(id)).every(isBelow),
  };
};

import type { Guild, Invite } from '../guild/guild.ts';
import {
  computeChannelPermissions,
  computeGuildPermissions,
  hasPermission,
  Permission,
} from '../guild/permissions.ts';
import { requireBot } from '../http/access.ts';
import { missingPermissions, unknownInvite } from '../http/api-error.ts';
import type { Platform, PlatformContext } from '../platform.ts';
import { expiryOf } from './present.ts';

export type InviteAccess = { guild: Guild; invite: Invite };

export const findInvite = ({ world }: Platform, code: string): InviteAccess => {
  const guild = world.guildOf(code);
  const invite = guild?.invites.get(code);
  if (!guild || !invite || isExpired(invite)) throw unknownInvite();
  return { guild, invite };
};

/** Invites that can still be used. */
export const listInvites = (guild: Guild): Invite[] =>
  [...guild.invites.values()].filter((invite) => !isExpired(invite));

const isExpired = (invite: Invite): boolean =>
  (expiryOf(invite) ?? Number.POSITIVE_INFINITY) <= Date.now();

/** The invite of the path, for managers of the guild and for those with the permission in its channel. */
export const accessInvite = (
  platform: Platform,
  c: PlatformContext,
  inChannel: bigint,
): InviteAccess => {
  const bot = requireBot(c);
  const access = findInvite(platform, c.req.param('code') ?? '');
  const { guild, invite } = access;
  const self = guild.members.get(bot.id);
  const channel = guild.channels.get(invite.channel_id);
  if (self && hasPermission(computeGuildPermissions(guild, self), Permission.ManageGuild)) {
    return access;
  }
  const granted = self && channel ? computeChannelPermissions(guild, self, channel) : 0n;
  if (!hasPermission(granted, inChannel)) throw missingPermissions();
  return access;
};

/** The same, and for the bot that made it. */
export const accessOwnInvite = (
  platform: Platform,
  c: PlatformContext,
  inChannel: bigint,
): InviteAccess => {
  const access = findInvite(platform, c.req.param('code') ?? '');
  const isOwn = access.invite.inviter_id === requireBot(c).id;
  return isOwn ? access : accessInvite(platform, c, inChannel);
};

import type { Guild, Invite } from '../guild/guild.ts';
import {
  computeChannelPermissions,
  computeGuildPermissions,
  hasPermission,
  Permission,
} from '../guild/permissions.ts';
import { presentUser } from '../guild/present.ts';
import { requireBot } from '../http/access.ts';
import { missingPermissions, unknownInvite } from '../http/api-error.ts';
import type { Identities, Platform, PlatformContext } from '../platform.ts';

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

const expiryOf = ({ created_at, max_age }: Invite): number | null =>
  max_age === 0 ? null : Date.parse(created_at) + max_age * 1000;

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

export const presentInvite = (identities: Identities, guild: Guild, invite: Invite) => {
  const { channel_id, inviter_id, role_ids, target_user_ids: _, ...fields } = invite;
  const channel = guild.channels.get(channel_id);
  const expiresAtMs = expiryOf(invite);
  const roles = role_ids.flatMap((id) => guild.roles.get(id) ?? []);
  return {
    type: 0,
    ...fields,
    expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    guild_id: guild.id,
    guild: presentInvitingGuild(guild),
    channel: { id: channel_id, name: channel?.name ?? '', type: channel?.type ?? 0 },
    inviter: presentUser(identities, inviter_id),
    ...(roles.length > 0 && {
      roles: roles.map(({ id, name, position, color, colors, icon, unicode_emoji }) => ({
        ...{ id, name, position, color, colors, icon, unicode_emoji },
      })),
    }),
  };
};

const presentInvitingGuild = ({ id, settings }: Guild) => ({
  id,
  name: settings.name,
  icon: settings.icon,
  splash: settings.splash,
  banner: settings.banner,
  description: settings.description,
  features: settings.features,
  verification_level: settings.verification_level,
  vanity_url_code: settings.vanity_url_code,
  nsfw_level: settings.nsfw_level,
  nsfw: false,
  premium_subscription_count: settings.premium_subscription_count,
});

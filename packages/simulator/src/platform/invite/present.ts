import type { Guild, Invite } from '../guild/guild.ts';
import { presentUser } from '../guild/present.ts';
import type { Identities } from '../platform.ts';

/** Null: never. */
export const expiryOf = ({ created_at, max_age }: Invite): number | null =>
  max_age === 0 ? null : Date.parse(created_at) + max_age * 1000;

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

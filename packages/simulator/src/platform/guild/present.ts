import { userBody } from '../identity/routes.ts';
import { generateUser } from '../identity/users.ts';
import type { Identities } from '../platform.ts';
import type { Ban, Emoji, Guild, Member, Sticker } from './guild.ts';

/** The API's form of what the simulator stores, where the two differ. */
export const presentUser = (identities: Identities, id: string) =>
  userBody(identities.findUser(id) ?? generateUser(id));

export const presentMember = (identities: Identities, member: Member) => ({
  avatar: null,
  banner: null,
  communication_disabled_until: member.communication_disabled_until,
  flags: 0,
  joined_at: member.joined_at,
  nick: member.nick,
  pending: false,
  premium_since: null,
  roles: member.roles,
  user: presentUser(identities, member.user_id),
  mute: member.mute,
  deaf: member.deaf,
});

export const presentBan = (identities: Identities, userId: string, ban: Ban) => ({
  reason: ban.reason,
  user: presentUser(identities, userId),
});

export const presentExpression = (identities: Identities, expression: Emoji | Sticker) => {
  const { user_id, ...fields } = expression;
  return user_id ? { ...fields, user: presentUser(identities, user_id) } : fields;
};

export const presentExpressions = (identities: Identities, { emojis, stickers }: Guild) => ({
  emojis: [...emojis.values()].map((emoji) => presentExpression(identities, emoji)),
  stickers: [...stickers.values()].map((sticker) => presentExpression(identities, sticker)),
});

export const presentGuild = (identities: Identities, guild: Guild) => {
  const { widget_enabled, widget_channel_id, ...settings } = guild.settings;
  return {
    id: guild.id,
    ...settings,
    home_header: null,
    application_id: null,
    region: 'deprecated',
    roles: [...guild.roles.values()],
    ...presentExpressions(identities, guild),
    widget_enabled,
    widget_channel_id,
    max_presences: null,
    max_video_channel_users: 25,
    max_stage_video_channel_users: 50,
    nsfw: false,
    hub_type: null,
  };
};

export const presentCounts = (guild: Guild) => ({
  approximate_member_count: guild.members.size,
  approximate_presence_count: Math.ceil(guild.members.size / 3),
});

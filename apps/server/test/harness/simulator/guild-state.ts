import { createHash } from 'node:crypto';
import type { Channel as KeptChannel } from '@holdfast/simulator';
import type { Channel, Role } from '../../../src/platform/guild.ts';
import type { GuildState } from '../../nemesis/guild/guild.ts';
import { BOT, type TestGuild } from '../guilds/arbitrary-guild.ts';

/** A guild as the simulator's control gives and takes it. */
export type SimulatedGuild = GuildState & {
  stickers: {
    id: string;
    name: string;
    description: string | null;
    tags: string;
    format_type: number;
  }[];
};

type KeptRole = GuildState['roles'][number];

/**
 * The guild in the platform's format. Written without the service's adapter, which is under test itself.
 * `botId` is the bot that restores.
 */
export const toSimulator = (guild: TestGuild, botId: string) => {
  const userIdOf = (id: string) => (id === BOT.userId ? botId : id);
  const moving = new Set(guild.emojis.flatMap(({ id, isAnimated }) => (isAnimated ? [id] : [])));
  const { iconHash } = guild.settings;
  const pictures = [
    ...guild.emojis.map(({ id }) => [`emojis/${id}`, pictureOf(id, moving.has(id))] as const),
    ...guild.stickers.map(({ id }) => [`stickers/${id}`, pictureOf(id)] as const),
    ...(iconHash ? [[`icons/${guild.guildId}/${iconHash}`, pictureOf(iconHash)] as const] : []),
  ];
  return {
    guild: { owner_id: guild.ownerId, ...settingsOf(guild) },
    roles: guild.roles.map((role) => roleOf(role, userIdOf)),
    channels: guild.channels.map(channelOf),
    emojis: guild.emojis.map(({ id, name, isAnimated, roleIds }) => ({
      ...{ id, name, animated: isAnimated, roles: roleIds },
    })),
    stickers: guild.stickers.map(({ format: _, ...sticker }) => ({ ...sticker, format_type: 1 })),
    bans: guild.bans.map(({ userId, reason }) => ({ user: { id: userId }, reason })),
    members: guild.members.map(({ userId, nick, roleIds }) => ({
      ...{ user: { id: userIdOf(userId) }, nick, roles: roleIds },
    })),
    images: Object.fromEntries(pictures),
  };
};

/** A unique picture. */
const pictureOf = (of: string, isMoving = false) => ({
  mime: isMoving ? 'image/gif' : 'image/png',
  base64: createHash('sha256').update(of).digest('base64'),
});

const settingsOf = ({ settings }: TestGuild) => ({
  name: settings.name,
  description: settings.description,
  icon: settings.iconHash,
  verification_level: settings.verificationLevel,
  default_message_notifications: settings.defaultMessageNotifications,
  explicit_content_filter: settings.explicitContentFilter,
  preferred_locale: settings.preferredLocale,
  afk_channel_id: settings.afkChannelId,
  afk_timeout: settings.afkTimeoutSeconds,
  system_channel_id: settings.systemChannelId,
  system_channel_flags: settings.systemChannelFlags,
  rules_channel_id: settings.rulesChannelId,
  public_updates_channel_id: settings.publicUpdatesChannelId,
  features: settings.features,
});

const roleOf = (role: Role, userIdOf: (id: string) => string): Partial<KeptRole> => ({
  id: role.id,
  name: role.name,
  color: role.colors.primary,
  colors: {
    primary_color: role.colors.primary,
    secondary_color: role.colors.secondary,
    tertiary_color: role.colors.tertiary,
  },
  hoist: role.isHoisted,
  mentionable: role.isMentionable,
  managed: role.isManaged,
  permissions: role.permissions,
  position: role.position,
  ...(role.botId === null ? {} : { tags: { bot_id: userIdOf(role.botId) } }),
});

export const typeOf: Record<Channel['kind'], number> = {
  text: 0,
  voice: 2,
  category: 4,
  announcement: 5,
  stage: 13,
  forum: 15,
  media: 16,
};

const channelOf = (channel: Channel): Partial<KeptChannel> => ({
  id: channel.id,
  type: typeOf[channel.kind],
  name: channel.name,
  parent_id: channel.parentId,
  position: channel.position,
  permission_overwrites: channel.overwrites.map(({ id, kind, allow, deny }) => ({
    ...{ id, type: kind === 'member' ? 1 : 0, allow, deny },
  })),
  ...(channel.kind === 'category' ? {} : ownFieldsOf(channel)),
});

/** What is left out stays as on a new channel of its kind. */
const ownFieldsOf = (channel: Channel): Partial<KeptChannel> => {
  const { topic, isAgeRestricted: nsfw, slowModeSeconds: rate_limit_per_user } = channel;
  const isHeard = channel.kind === 'voice' || channel.kind === 'stage';
  const isForum = channel.kind === 'forum' || channel.kind === 'media';
  return {
    nsfw,
    rate_limit_per_user,
    ...(channel.kind === 'voice' ? {} : { topic }),
    ...(isHeard ? heardFieldsOf(channel) : writtenFieldsOf(channel)),
    ...(isForum ? forumFieldsOf(channel) : {}),
  };
};

const heardFieldsOf = (channel: Channel): Partial<KeptChannel> => ({
  bitrate: channel.bitrate ?? 64_000,
  user_limit: channel.userLimit ?? 0,
  rtc_region: channel.rtcRegion,
  video_quality_mode: channel.videoQualityMode ?? 1,
});

const writtenFieldsOf = (channel: Channel): Partial<KeptChannel> => ({
  default_auto_archive_duration: channel.threadArchiveMinutes ?? 1440,
  default_thread_rate_limit_per_user: channel.threadSlowModeSeconds ?? 0,
});

const forumFieldsOf = (channel: Channel): Partial<KeptChannel> => ({
  flags: channel.flags,
  available_tags: channel.tags.map(({ id, name, isModerated, emojiId, emojiName }) => ({
    ...{ id, name, moderated: isModerated, emoji_id: emojiId, emoji_name: emojiName },
  })),
  default_reaction_emoji: channel.defaultReaction && {
    emoji_id: channel.defaultReaction.emojiId,
    emoji_name: channel.defaultReaction.emojiName,
  },
  default_sort_order: channel.defaultSortOrder,
  default_forum_layout: channel.defaultForumLayout ?? 0,
});

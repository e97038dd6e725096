import { type APIGuildForumTag, ChannelType } from 'discord-api-types/v10';
import type { Channel, ChannelKind, ForumTag } from '../guild.ts';
import type { GuildChannel } from '../shapes/channel.ts';
import { overwriteOf } from './role.ts';

export const typeOfKind = {
  text: ChannelType.GuildText,
  announcement: ChannelType.GuildAnnouncement,
  voice: ChannelType.GuildVoice,
  stage: ChannelType.GuildStageVoice,
  forum: ChannelType.GuildForum,
  media: ChannelType.GuildMedia,
  category: ChannelType.GuildCategory,
} as const satisfies Record<ChannelKind, ChannelType>;

const kindOfType = {
  [ChannelType.GuildText]: 'text',
  [ChannelType.GuildAnnouncement]: 'announcement',
  [ChannelType.GuildVoice]: 'voice',
  [ChannelType.GuildStageVoice]: 'stage',
  [ChannelType.GuildForum]: 'forum',
  [ChannelType.GuildMedia]: 'media',
  [ChannelType.GuildCategory]: 'category',
} as const satisfies Record<GuildChannel['type'], ChannelKind>;

type Activity = { id: string; last_message_id?: string | null; last_pin_timestamp?: string | null };

/** Null is a channel that never had a message; where the field is absent there may be some. */
export const activityOf = ({ last_message_id, last_pin_timestamp }: Activity) => ({
  hasMessages: last_message_id !== null,
  hasPins: (last_pin_timestamp ?? null) !== null,
});

/** Fields that only some kinds have. */
type FieldsOfSome = {
  id: string;
  topic?: string | null;
  rate_limit_per_user?: number;
  bitrate?: number;
  user_limit?: number;
  rtc_region?: string | null;
  video_quality_mode?: number;
  default_auto_archive_duration?: number;
  default_thread_rate_limit_per_user?: number;
  available_tags?: APIGuildForumTag[];
  default_reaction_emoji?: { emoji_id: string | null; emoji_name: string | null } | null;
  default_sort_order?: number | null;
  default_forum_layout?: number;
};

export const channelOf = (channel: GuildChannel): Channel => ({
  id: channel.id,
  kind: kindOfType[channel.type],
  name: channel.name,
  parentId: channel.parent_id ?? null,
  position: channel.position,
  overwrites: (channel.permission_overwrites ?? []).map(overwriteOf),
  isAgeRestricted: channel.nsfw ?? false,
  flags: channel.flags ?? 0,
  ...fieldsOfSome(channel),
});

const fieldsOfSome = (channel: FieldsOfSome) => ({
  topic: channel.topic ?? null,
  slowModeSeconds: channel.rate_limit_per_user ?? 0,
  bitrate: channel.bitrate ?? null,
  userLimit: channel.user_limit ?? null,
  rtcRegion: channel.rtc_region ?? null,
  videoQualityMode: channel.video_quality_mode ?? null,
  threadArchiveMinutes: channel.default_auto_archive_duration ?? null,
  threadSlowModeSeconds: channel.default_thread_rate_limit_per_user ?? null,
  tags: (channel.available_tags ?? []).map(tagOf),
  defaultReaction: channel.default_reaction_emoji
    ? {
        emojiId: channel.default_reaction_emoji.emoji_id,
        emojiName: channel.default_reaction_emoji.emoji_name,
      }
    : null,
  defaultSortOrder: channel.default_sort_order ?? null,
  defaultForumLayout: channel.default_forum_layout ?? null,
});

const tagOf = (tag: APIGuildForumTag): ForumTag => ({
  id: tag.id,
  name: tag.name,
  isModerated: tag.moderated,
  emojiId: tag.emoji_id,
  emojiName: tag.emoji_name,
});

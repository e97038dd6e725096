import {
  type ChannelFlags,
  ChannelType,
  type ForumLayoutType,
  type SortOrderType,
  type ThreadAutoArchiveDuration,
  type VideoQualityMode,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { openNumber, orNull } from './open.ts';
import { overwrite } from './role.ts';

const common = {
  id: z.string(),
  flags: openNumber<ChannelFlags>().optional(),
  name: z.string(),
  guild_id: z.string().optional(),
  permission_overwrites: z.array(overwrite).optional(),
  parent_id: z.string().nullish(),
  nsfw: z.boolean().optional(),
  position: z.number(),
};

const speaking = {
  ...common,
  rate_limit_per_user: z.number().optional(),
  last_message_id: z.string().nullish(),
};

const written = {
  ...speaking,
  last_pin_timestamp: z.string().nullish(),
  default_auto_archive_duration: openNumber<ThreadAutoArchiveDuration>().optional(),
  default_thread_rate_limit_per_user: z.number().optional(),
  topic: z.string().nullish(),
};

const heard = {
  ...speaking,
  bitrate: z.number().optional(),
  user_limit: z.number().optional(),
  rtc_region: z.string().nullish(),
  video_quality_mode: openNumber<VideoQualityMode>().optional(),
};

const forumTag = z.object({
  id: z.string(),
  name: z.string(),
  moderated: z.boolean(),
  emoji_id: orNull(z.string()),
  emoji_name: orNull(z.string()),
});

const threaded = {
  ...written,
  available_tags: z.array(forumTag),
  default_reaction_emoji: orNull(
    z.object({ emoji_id: orNull(z.string()), emoji_name: orNull(z.string()) }),
  ),
  default_sort_order: orNull(openNumber<SortOrderType>()),
};

export const textChannel = z.object({ ...written, type: z.literal(ChannelType.GuildText) });
export const announcementChannel = z.object({
  ...written,
  type: z.literal(ChannelType.GuildAnnouncement),
});
export const voiceChannel = z.object({ ...heard, type: z.literal(ChannelType.GuildVoice) });
export const stageChannel = z.object({
  ...heard,
  type: z.literal(ChannelType.GuildStageVoice),
  topic: z.string().nullish(),
});
export const forumChannel = z.object({
  ...threaded,
  type: z.literal(ChannelType.GuildForum),
  default_forum_layout: openNumber<ForumLayoutType>(),
});
export const mediaChannel = z.object({ ...threaded, type: z.literal(ChannelType.GuildMedia) });
export const categoryChannel = z.object({
  ...common,
  type: z.literal(ChannelType.GuildCategory),
  parent_id: z.null().optional(),
});

export const guildChannel = z.discriminatedUnion('type', [
  textChannel,
  announcementChannel,
  voiceChannel,
  stageChannel,
  forumChannel,
  mediaChannel,
  categoryChannel,
]);

export type GuildChannel = z.output<typeof guildChannel>;

const knownTypes: ReadonlySet<unknown> = new Set(
  guildChannel.options.map(({ shape }) => shape.type.value),
);
const hasType = z.looseObject({ type: z.number() });

/** Channels of unknown types, such as a hub's directory, are skipped. */
export const guildChannels = z
  .array(hasType)
  .transform((channels) => channels.filter(({ type }) => knownTypes.has(type)))
  .pipe(z.array(guildChannel));

import { z } from 'zod';
import { boostedLimit } from '../guild/features.ts';
import type { Channel, ForumTag, Guild } from '../guild/guild.ts';
import { invalidField } from '../http/api-error.ts';
import { snowflakeField } from '../http/read-body.ts';
import { overwriteSchema } from './overwrites.ts';

export const ChannelType = {
  Text: 0,
  Voice: 2,
  Category: 4,
  Announcement: 5,
  Stage: 13,
  Forum: 15,
  Media: 16,
} as const;

const typeField = z.literal(Object.values(ChannelType));
const emojiFields = {
  emoji_id: snowflakeField.nullish().transform((id) => id ?? null),
  emoji_name: z
    .string()
    .nullish()
    .transform((name) => name ?? null),
};

const fields = {
  type: typeField.nullish(),
  position: z.int().min(0).nullish(),
  parent_id: snowflakeField.nullish(),
  permission_overwrites: z.array(overwriteSchema).max(1000).nullish(),
  topic: z.string().max(4096).nullish(),
  nsfw: z.boolean().nullish(),
  rate_limit_per_user: z.int().min(0).max(21_600).nullish(),
  bitrate: z.int().min(8_000).nullish(),
  user_limit: z.int().min(0).max(10_000).nullish(),
  rtc_region: z.string().nullish(),
  video_quality_mode: z.literal([1, 2]).nullish(),
  default_auto_archive_duration: z.literal([60, 1440, 4320, 10_080]).nullish(),
  default_reaction_emoji: z.object(emojiFields).nullish(),
  default_thread_rate_limit_per_user: z.int().min(0).max(21_600).nullish(),
  default_sort_order: z.literal([0, 1]).nullish(),
  default_forum_layout: z.literal([0, 1, 2]).nullish(),
  flags: z.int().min(0).nullish(),
  available_tags: z
    .array(
      z.object({
        id: snowflakeField.nullish(),
        name: z.string().min(1).max(20),
        moderated: z.boolean().default(false),
        ...emojiFields,
      }),
    )
    .max(20)
    .nullish(),
};

const nameField = z.string().min(1).max(100);
export const newChannelSchema = z.object({ ...fields, name: nameField });
export const channelChangesSchema = z.object({ ...fields, name: nameField.nullish() });

const COMMUNITY_TYPES: number[] = [
  ChannelType.Announcement,
  ChannelType.Stage,
  ChannelType.Forum,
  ChannelType.Media,
];

/** Some types exist only where the guild is a community; elsewhere they are no choice. */
export const requireTypeAllowed = ({ settings }: Guild, type: number) => {
  if (!COMMUNITY_TYPES.includes(type) || settings.features.includes('COMMUNITY')) return;
  const choices = Object.values(ChannelType).filter((one) => !COMMUNITY_TYPES.includes(one));
  const message = `Value must be one of {${choices.join(', ')}}.`;
  throw invalidField(['type'], 'BASE_TYPE_CHOICES', message);
};

export type ChannelChange = z.output<typeof channelChangesSchema>;

export const newChannel = (id: string, guildId: string, type: number, name: string): Channel => ({
  id,
  guild_id: guildId,
  type,
  name: normalizeName(type, name),
  position: 0,
  parent_id: null,
  permission_overwrites: [],
  flags: 0,
  ...defaultsOf(type),
});

/** Applies the fields that the channel's type has and ignores the others, as the platform does. */
export const applyChannelFields = (
  guild: Guild,
  channel: Channel,
  change: ChannelChange,
  nextId: () => string,
) => {
  requireLimits(guild, channel, change);
  if (change.name != null) channel.name = normalizeName(channel.type, change.name);
  if (change.position != null) channel.position = change.position;
  if (change.flags != null) channel.flags = change.flags;
  if (change.available_tags && channel.available_tags) {
    channel.available_tags = change.available_tags.map((tag): ForumTag => {
      return { ...tag, id: tag.id ?? nextId() };
    });
  }
  copyPlainFields(channel, change);
};

/** Null empties a field that can be empty and resets any other to its default. */
const copyPlainFields = (channel: Channel, change: ChannelChange) => {
  const defaults = defaultsOf(channel.type);
  for (const field of PLAIN_FIELDS) {
    const value = change[field];
    if (value === undefined || !(field in defaults)) continue;
    Object.assign(channel, { [field]: value === null ? defaults[field] : value });
  }
};

const PLAIN_FIELDS = [
  'topic',
  'nsfw',
  'rate_limit_per_user',
  'bitrate',
  'user_limit',
  'rtc_region',
  'video_quality_mode',
  'default_auto_archive_duration',
  'default_reaction_emoji',
  'default_thread_rate_limit_per_user',
  'default_sort_order',
  'default_forum_layout',
] as const;

const TEXT_DEFAULTS: Partial<Channel> = {
  topic: null,
  nsfw: false,
  rate_limit_per_user: 0,
  default_auto_archive_duration: 1440,
  default_thread_rate_limit_per_user: 0,
  last_message_id: null,
};

const VOICE_DEFAULTS: Partial<Channel> = {
  nsfw: false,
  rate_limit_per_user: 0,
  bitrate: 64_000,
  user_limit: 0,
  rtc_region: null,
  video_quality_mode: 1,
  last_message_id: null,
};

const FORUM_DEFAULTS: Partial<Channel> = {
  ...TEXT_DEFAULTS,
  available_tags: [],
  default_reaction_emoji: null,
  default_sort_order: null,
  default_forum_layout: 0,
};

const defaultsOf = (type: number): Partial<Channel> => {
  if (type === ChannelType.Text || type === ChannelType.Announcement) return TEXT_DEFAULTS;
  if (type === ChannelType.Voice) return VOICE_DEFAULTS;
  if (type === ChannelType.Stage) return { ...VOICE_DEFAULTS, topic: null };
  if (isForumLike(type)) return FORUM_DEFAULTS;
  return {};
};

const isForumLike = (type: number) => type === ChannelType.Forum || type === ChannelType.Media;

/** Names of text channels are lower case without spaces. */
const normalizeName = (type: number, name: string): string =>
  type === ChannelType.Text || type === ChannelType.Announcement || isForumLike(type)
    ? name.trim().toLowerCase().replace(/\s+/g, '-')
    : name;

const MAX_STAGE_BITRATE = 64_000;

const requireLimits = (guild: Guild, channel: Channel, change: ChannelChange) => {
  const maxTopic = isForumLike(channel.type) ? 4096 : 1024;
  if (change.topic && change.topic.length > maxTopic) {
    const message = `Must be ${maxTopic} or fewer in length.`;
    throw invalidField(['topic'], 'BASE_TYPE_BAD_LENGTH', message);
  }
  const isVoice = channel.type === ChannelType.Voice;
  requireAtMost('user_limit', isVoice ? change.user_limit : null, 99);
  const isStage = channel.type === ChannelType.Stage;
  requireAtMost('bitrate', isVoice ? change.bitrate : null, boostedLimit(guild, 'bitrate'));
  requireAtMost('bitrate', isStage ? change.bitrate : null, MAX_STAGE_BITRATE);
};

const requireAtMost = (field: string, value: number | null | undefined, maximum: number) => {
  if (value == null || value <= maximum) return;
  const message = `int value should be less than or equal to ${maximum}.`;
  throw invalidField([field], 'NUMBER_TYPE_MAX', message);
};

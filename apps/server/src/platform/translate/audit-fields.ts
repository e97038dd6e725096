import { ChannelType, OverwriteType, StickerFormatType, WebhookType } from 'discord-api-types/v10';
import { z } from 'zod';
import {
  automodFields,
  eventFields,
  type Fields,
  manyFields,
  onboardingFields,
  soundFields,
} from './audit-part-fields.ts';

/** What the audit log tells changes of. */
export type AuditedType =
  | 'settings'
  | 'channel'
  | 'role'
  | 'emoji'
  | 'sticker'
  | 'webhook'
  | 'automod'
  | 'event'
  | 'sound'
  | 'onboarding'
  | 'member';

const text = z.string().nullable();
const number = z.number().int().nullable();
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
const count = z
  .number()
  .int()
  .nullish()
  .transform((value) => value ?? 0);
const ids = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);
const bits = z.union([z.string().regex(/^\d+$/), z.number().int().nonnegative().transform(String)]);
const some = <Value>(values: Record<number, Value>) =>
  z.number().transform((value, context) => {
    const known = values[value];
    if (known === undefined) context.addIssue('Not a known value');
    return known;
  });

const overwrites = z
  .array(
    z.object({
      id: z.string(),
      type: z.coerce.number(),
      allow: bits,
      deny: bits,
    }),
  )
  .nullish()
  .transform((all) =>
    (all ?? []).map(({ type, ...one }) => ({
      ...one,
      kind: type === OverwriteType.Member ? ('member' as const) : ('role' as const),
    })),
  );

const tags = z
  .array(
    z.object({
      id: z.string(),
      name: z.string(),
      moderated: flag,
      emoji_id: text.default(null),
      emoji_name: text.default(null),
    }),
  )
  .nullish()
  .transform((all) =>
    (all ?? []).map(({ moderated, emoji_id, emoji_name, ...tag }) => ({
      ...{ ...tag, isModerated: moderated, emojiId: emoji_id, emojiName: emoji_name },
    })),
  );

const reaction = z
  .object({ emoji_id: text, emoji_name: text })
  .nullable()
  .transform((one) => one && { emojiId: one.emoji_id, emojiName: one.emoji_name });

const colors = z
  .object({ primary_color: z.number(), secondary_color: number, tertiary_color: number })
  .transform((all) => ({
    ...{ primary: all.primary_color, secondary: all.secondary_color, tertiary: all.tertiary_color },
  }));

/** By the platform's name of a field: ours, and how its value is read. */
const fieldsOfType: Record<AuditedType, Fields> = {
  settings: {
    name: ['name', z.string()],
    description: ['description', text],
    icon_hash: ['iconHash', text],
    splash_hash: ['splashHash', text],
    discovery_splash_hash: ['discoverySplashHash', text],
    banner_hash: ['bannerHash', text],
    verification_level: ['verificationLevel', count],
    default_message_notifications: ['defaultMessageNotifications', count],
    explicit_content_filter: ['explicitContentFilter', count],
    preferred_locale: ['preferredLocale', z.string()],
    afk_channel_id: ['afkChannelId', text],
    afk_timeout: ['afkTimeoutSeconds', count],
    system_channel_id: ['systemChannelId', text],
    system_channel_flags: ['systemChannelFlags', count],
    rules_channel_id: ['rulesChannelId', text],
    public_updates_channel_id: ['publicUpdatesChannelId', text],
    safety_alerts_channel_id: ['safetyAlertsChannelId', text],
    premium_progress_bar_enabled: ['isProgressBarEnabled', flag],
    vanity_url_code: ['vanityCode', text],
    widget_enabled: ['widget.isEnabled', flag],
    widget_channel_id: ['widget.channelId', text],
    features: ['features', ids],
  },
  channel: {
    name: ['name', z.string()],
    type: [
      'kind',
      some({
        [ChannelType.GuildText]: 'text',
        [ChannelType.GuildAnnouncement]: 'announcement',
        [ChannelType.GuildVoice]: 'voice',
        [ChannelType.GuildStageVoice]: 'stage',
        [ChannelType.GuildForum]: 'forum',
        [ChannelType.GuildMedia]: 'media',
        [ChannelType.GuildCategory]: 'category',
      }),
    ],
    parent_id: ['parentId', text],
    permission_overwrites: ['overwrites', overwrites],
    nsfw: ['isAgeRestricted', flag],
    topic: ['topic', text],
    rate_limit_per_user: ['slowModeSeconds', count],
    bitrate: ['bitrate', number],
    user_limit: ['userLimit', number],
    rtc_region: ['rtcRegion', text],
    video_quality_mode: ['videoQualityMode', number],
    default_auto_archive_duration: ['threadArchiveMinutes', number],
    default_thread_rate_limit_per_user: ['threadSlowModeSeconds', number],
    available_tags: ['tags', tags],
    default_reaction_emoji: ['defaultReaction', reaction],
    default_sort_order: ['defaultSortOrder', number],
    default_forum_layout: ['defaultForumLayout', number],
    flags: ['flags', count],
  },
  role: {
    name: ['name', z.string()],
    permissions: ['permissions', bits],
    // Before the platform had gradients; `colors` comes with it where both are told.
    color: [
      'colors',
      z.number().transform((primary) => ({ primary, secondary: null, tertiary: null })),
    ],
    colors: ['colors', colors],
    hoist: ['isHoisted', flag],
    mentionable: ['isMentionable', flag],
    icon_hash: ['iconHash', text],
    unicode_emoji: ['unicodeEmoji', text],
  },
  emoji: { name: ['name', z.string()], roles: ['roleIds', ids] },
  sticker: {
    name: ['name', z.string()],
    description: ['description', text.transform((value) => value || null)],
    tags: ['tags', z.string()],
    format_type: [
      'format',
      some({
        [StickerFormatType.PNG]: 'png',
        [StickerFormatType.APNG]: 'apng',
        [StickerFormatType.Lottie]: 'lottie',
        [StickerFormatType.GIF]: 'gif',
      }),
    ],
  },
  webhook: {
    name: ['name', text],
    type: [
      'kind',
      some({
        [WebhookType.Incoming]: 'incoming',
        [WebhookType.ChannelFollower]: 'follower',
        [WebhookType.Application]: 'application',
      }),
    ],
    channel_id: ['channelId', text],
    avatar_hash: ['avatarHash', text],
  },
  automod: automodFields,
  event: eventFields,
  sound: soundFields,
  onboarding: onboardingFields,
  member: { nick: ['nick', text], communication_disabled_until: ['timedOutUntil', text] },
};

/** Whether we have a word for the field. */
export const isAudited = (type: AuditedType, key: string): boolean =>
  Object.hasOwn(fieldsOfType[type], key);

/** A value of a change in our own words, by field; nothing where we have none, or cannot read it. */
export const auditedFields = (
  type: AuditedType,
  key: string,
  value: unknown,
): [field: string, value: unknown][] => {
  const known = isAudited(type, key) ? fieldsOfType[type][key] : undefined;
  if (!known) return [];
  const [field, shape] = known;
  const read = shape.safeParse(value);
  if (!read.success) return [];
  return field === manyFields ? Object.entries(read.data as object) : [[field, read.data]];
};

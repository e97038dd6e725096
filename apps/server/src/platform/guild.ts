import { z } from 'zod';

/**
 * A guild in our own format, but for what is said in it (`conversation.ts`): what a backup stores and a restore restores. `translate/` converts it from
 * and to the platform's. They are schemas because a backup may be read years later.
 */

const id = z.string();
/** A set of permissions as a decimal number, too large for a JavaScript number. */
const permissions = z.string().regex(/^\d+$/);

export const guildSettings = z.object({
  name: z.string(),
  description: z.string().nullable(),
  iconHash: z.string().nullable(),
  splashHash: z.string().nullable(),
  discoverySplashHash: z.string().nullable(),
  bannerHash: z.string().nullable(),
  verificationLevel: z.number().int(),
  defaultMessageNotifications: z.number().int(),
  explicitContentFilter: z.number().int(),
  preferredLocale: z.string(),
  afkChannelId: id.nullable(),
  afkTimeoutSeconds: z.number().int(),
  systemChannelId: id.nullable(),
  systemChannelFlags: z.number().int(),
  rulesChannelId: id.nullable(),
  publicUpdatesChannelId: id.nullable(),
  safetyAlertsChannelId: id.nullable(),
  isProgressBarEnabled: z.boolean(),
  /** Such as `COMMUNITY`; only some can be set. */
  features: z.array(z.string()),
});

export const role = z.object({
  id,
  name: z.string(),
  colors: z.object({
    primary: z.number().int(),
    secondary: z.number().int().nullable(),
    tertiary: z.number().int().nullable(),
  }),
  isHoisted: z.boolean(),
  isMentionable: z.boolean(),
  /** Made by an integration or by boosting: it cannot be created or deleted by us. */
  isManaged: z.boolean(),
  /** The bot whose own role it is. */
  botId: id.nullable(),
  /** Present for the role that boosters get; a guild has one. */
  isOfBoosters: z.literal(true).optional(),
  /** Present where people give it to themselves by accounts that they have elsewhere. */
  isLinked: z.literal(true).optional(),
  permissions,
  position: z.number().int(),
  iconHash: z.string().nullable(),
  unicodeEmoji: z.string().nullable(),
});

export const overwrite = z.object({
  id,
  kind: z.enum(['role', 'member']),
  allow: permissions,
  deny: permissions,
});

const channelKinds = [
  'text',
  'announcement',
  'voice',
  'stage',
  'forum',
  'media',
  'category',
] as const;

const forumTag = z.object({
  id,
  name: z.string(),
  isModerated: z.boolean(),
  emojiId: id.nullable(),
  emojiName: z.string().nullable(),
});

const reaction = z.object({ emojiId: id.nullable(), emojiName: z.string().nullable() });

export const channel = z.object({
  id,
  kind: z.enum(channelKinds),
  name: z.string(),
  parentId: id.nullable(),
  position: z.number().int(),
  overwrites: z.array(overwrite),
  isAgeRestricted: z.boolean(),
  topic: z.string().nullable(),
  slowModeSeconds: z.number().int(),
  bitrate: z.number().int().nullable(),
  userLimit: z.number().int().nullable(),
  rtcRegion: z.string().nullable(),
  videoQualityMode: z.number().int().nullable(),
  threadArchiveMinutes: z.number().int().nullable(),
  threadSlowModeSeconds: z.number().int().nullable(),
  tags: z.array(forumTag),
  defaultReaction: reaction.nullable(),
  defaultSortOrder: z.number().int().nullable(),
  defaultForumLayout: z.number().int().nullable(),
  flags: z.number().int(),
});

export const emoji = z.object({
  id,
  name: z.string(),
  isAnimated: z.boolean(),
  isManaged: z.boolean(),
  /** The roles that may use it; none means all. */
  roleIds: z.array(id),
});

const stickerFormats = ['png', 'apng', 'lottie', 'gif'] as const;

export const sticker = z.object({
  id,
  name: z.string(),
  description: z.string().nullable(),
  tags: z.string(),
  format: z.enum(stickerFormats),
});

export const ban = z.object({ userId: id, reason: z.string().nullable() });

export const guildMember = z.object({
  userId: id,
  nick: z.string().nullable(),
  roleIds: z.array(id),
  isBot: z.boolean(),
  /** Until when they may not speak; null where they may. It is read and set, and in no backup. */
  timedOutUntil: z.string().nullable().optional(),
});

export type GuildSettings = z.output<typeof guildSettings>;
export type Role = z.output<typeof role>;
export type Overwrite = z.output<typeof overwrite>;
export type ChannelKind = (typeof channelKinds)[number];
export type ForumTag = z.output<typeof forumTag>;
export type Channel = z.output<typeof channel>;
export type Emoji = z.output<typeof emoji>;
export type Sticker = z.output<typeof sticker>;
export type Ban = z.output<typeof ban>;
export type GuildMember = z.output<typeof guildMember>;

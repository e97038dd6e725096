import { z } from 'zod';
import { platformId } from './common.ts';

/**
 * A server's structure as a portable document: things are known by their names, so that the document can
 * be read, kept under version control and applied to another server. Fields with their usual value are
 * left out.
 *
 * A role or emoji is referred to by its name, a channel by its path `category/name`, in which `\` and `/`
 * of a name are escaped by `\`. Of several with one name the second is called `name~2`, in the order of
 * the document. What is not in the document is referred to as `id:<platform id>`.
 */

const longestText = 6000;
const text = z.string().max(longestText);
const reference = z.string().max(500);
const label = z.string().min(1, 'Must not be empty').max(300);
const flag = z.boolean().optional();
const amount = z.int().min(0).optional();
const references = z.array(reference).max(1000);

export const permissionName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{1,63}$/, 'Must be the name of a permission, such as VIEW_CHANNEL')
  .meta({ example: 'VIEW_CHANNEL' });
const permissions = z.array(permissionName).max(64);

/** The platform's own number where it has no name here. */
const named = <const Names extends readonly string[]>(names: Names) =>
  z.union([z.enum(names), z.int().min(0)], `Must be one of ${names.join(', ')}`);

export const verificationLevels = ['NONE', 'LOW', 'MEDIUM', 'HIGH', 'VERY_HIGH'] as const;
export const notificationLevels = ['ALL_MESSAGES', 'ONLY_MENTIONS'] as const;
export const contentFilters = ['DISABLED', 'MEMBERS_WITHOUT_ROLES', 'ALL_MEMBERS'] as const;
export const sortOrders = ['LATEST_ACTIVITY', 'CREATION_DATE'] as const;
export const forumLayouts = ['NOT_SET', 'LIST', 'GALLERY'] as const;
export const onboardingModes = ['DEFAULT', 'ADVANCED'] as const;
export const promptTypes = ['MULTIPLE_CHOICE', 'DROPDOWN'] as const;

/** The features that a server can switch on and off. */
export const documentFeatures = [
  'COMMUNITY',
  'DISCOVERABLE',
  'INVITES_DISABLED',
  'RAID_ALERTS_DISABLED',
] as const;

/** Which bytes, by their SHA-256, and of which type. */
export const imageName = z
  .string()
  .regex(
    /^[0-9a-f]{64}\.(png|jpg|gif|webp|avif|json|mp3|ogg|bin)$/,
    'Must be the SHA-256 of a file and its extension',
  )
  .meta({ example: `${'4f9a'.repeat(16)}.png` });
const image = imageName.nullable().optional();

const hexColor = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'Must be a color such as #1f8b4c');

const documentSettings = z.strictObject({
  name: label,
  description: text.optional(),
  icon: image,
  splash: image,
  discoverySplash: image,
  banner: image,
  verificationLevel: named(verificationLevels),
  defaultMessageNotifications: named(notificationLevels),
  explicitContentFilter: named(contentFilters),
  preferredLocale: z.string().max(20),
  afkChannel: reference.optional(),
  afkTimeoutSeconds: z.int().min(0),
  systemChannel: reference.optional(),
  systemChannelFlags: amount,
  rulesChannel: reference.optional(),
  publicUpdatesChannel: reference.optional(),
  safetyAlertsChannel: reference.optional(),
  progressBar: flag,
  features: z.array(z.enum(documentFeatures)).max(documentFeatures.length).optional(),
});

const documentRole = z.strictObject({
  name: label,
  managed: flag.describe('Made by a bot, an integration or by boosting: it cannot be created.'),
  color: hexColor.optional(),
  secondaryColor: hexColor.optional(),
  tertiaryColor: hexColor.optional(),
  icon: image,
  unicodeEmoji: z.string().max(100).optional(),
  hoisted: flag,
  mentionable: flag,
  permissions: permissions.optional(),
});

const roleOverwrite = z.strictObject({
  role: reference,
  allow: permissions.optional(),
  deny: permissions.optional(),
});
const memberOverwrite = z.strictObject({
  member: platformId,
  allow: permissions.optional(),
  deny: permissions.optional(),
});

const channelTypes = ['TEXT', 'ANNOUNCEMENT', 'VOICE', 'STAGE', 'FORUM', 'MEDIA'] as const;

const access = {
  overwrites: z.array(roleOverwrite).max(1000).optional(),
  memberOverwrites: z
    .array(memberOverwrite)
    .max(1000)
    .optional()
    .describe('Only where asked for. Without it, those of the channel stay as they are.'),
};

const documentChannel = z.strictObject({
  type: z.enum(channelTypes),
  name: label,
  topic: text.optional(),
  ageRestricted: flag,
  slowModeSeconds: amount,
  bitrate: amount,
  userLimit: amount,
  region: z.string().max(100).optional(),
  videoQuality: amount,
  threadArchiveMinutes: amount,
  threadSlowModeSeconds: amount,
  tags: z
    .array(z.strictObject({ name: label, moderated: flag, emoji: reference.optional() }))
    .max(100)
    .optional(),
  defaultReaction: reference.optional(),
  sortOrder: named(sortOrders).optional(),
  layout: named(forumLayouts).optional(),
  flags: amount.describe("The platform's own number, of what people can choose."),
  ...access,
});

const documentCategory = z.strictObject({
  type: z.literal('CATEGORY'),
  name: label,
  ...access,
  channels: z.array(documentChannel).max(500).optional(),
});

const documentEmoji = z.strictObject({
  name: label,
  image,
  animated: flag,
  managed: flag,
  roles: references.optional().describe('Who may use it; all where it is left out.'),
});

const documentSticker = z.strictObject({
  name: label,
  description: text.optional(),
  tags: text,
  format: z.enum(['png', 'apng', 'lottie', 'gif']),
  image,
});

const documentSound = z.strictObject({
  name: label,
  volume: z.number().min(0).max(1).optional(),
  emoji: reference.optional(),
  sound: image,
});

const words = z.array(text).max(2000).optional();

const documentRule = z.strictObject({
  name: label,
  event: z.int().describe("The platform's own number, as the next."),
  trigger: z.int(),
  keywords: words,
  patterns: words,
  presets: z.array(z.int()).max(50).optional(),
  allowedWords: words,
  mentionLimit: z.int().optional(),
  raidProtection: flag,
  actions: z
    .array(
      z.strictObject({
        type: z.int(),
        channel: reference.optional(),
        durationSeconds: z.int().optional(),
        message: text.optional(),
      }),
    )
    .max(20),
  enabled: z.boolean(),
  exemptRoles: references.optional(),
  exemptChannels: references.optional(),
});

const documentPrompt = z.strictObject({
  title: text,
  type: named(promptTypes),
  singleSelect: flag,
  required: flag,
  inOnboarding: flag,
  options: z
    .array(
      z.strictObject({
        title: text,
        description: text.optional(),
        emoji: reference.optional(),
        channels: references.optional(),
        roles: references.optional(),
      }),
    )
    .max(100),
});

const documentOnboarding = z.strictObject({
  enabled: z.boolean(),
  mode: named(onboardingModes),
  defaultChannels: references.optional(),
  prompts: z.array(documentPrompt).max(100),
});

const documentWelcomeScreen = z.strictObject({
  enabled: z.boolean(),
  description: text.optional(),
  channels: z
    .array(
      z.strictObject({
        channel: reference,
        description: text,
        emoji: reference.optional(),
      }),
    )
    .max(20),
});

export const communityDocument = z
  .strictObject({
    version: z.literal(1),
    settings: documentSettings,
    roles: z.array(documentRole).max(500).describe('Highest first; the last one is @everyone.'),
    channels: z
      .array(z.discriminatedUnion('type', [documentCategory, documentChannel]))
      .max(500)
      .describe('In their order: channels without a category, and categories with theirs.'),
    emojis: z.array(documentEmoji).max(1000).optional(),
    stickers: z.array(documentSticker).max(200).optional(),
    soundboard: z.array(documentSound).max(200).optional(),
    automod: z.array(documentRule).max(50).optional(),
    onboarding: documentOnboarding.optional(),
    welcomeScreen: documentWelcomeScreen.optional(),
  })
  .meta({
    id: 'CommunityDocument',
    example: {
      version: 1,
      settings: {
        name: 'Harbour',
        verificationLevel: 'LOW',
        defaultMessageNotifications: 'ONLY_MENTIONS',
        explicitContentFilter: 'DISABLED',
        preferredLocale: 'en-US',
        afkTimeoutSeconds: 300,
        systemChannel: 'Deck/general',
      },
      roles: [
        { name: 'Crew', color: '#1f8b4c', hoisted: true, permissions: ['KICK_MEMBERS'] },
        { name: '@everyone', permissions: ['VIEW_CHANNEL', 'SEND_MESSAGES'] },
      ],
      channels: [
        {
          type: 'CATEGORY',
          name: 'Deck',
          channels: [
            { type: 'TEXT', name: 'general', topic: 'Ahoy' },
            {
              type: 'TEXT',
              name: 'bridge',
              overwrites: [
                { role: '@everyone', deny: ['VIEW_CHANNEL'] },
                { role: 'Crew', allow: ['VIEW_CHANNEL'] },
              ],
            },
          ],
        },
      ],
    },
  });
export type CommunityDocument = z.output<typeof communityDocument>;

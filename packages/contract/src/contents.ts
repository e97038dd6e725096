import { z } from 'zod';
import { backupParams } from './backups.ts';
import { count, platformId } from './common.ts';
import { contentFilters, notificationLevels, verificationLevels } from './documents.ts';
import { endpointsOf } from './endpoint.ts';

/** What a backup holds of a guild's structure, to be looked at. */

const image = z
  .string()
  .nullable()
  .describe(
    'A `data:` URL; null where there is none, or where it is larger than 256 KiB or all together than 4 MiB.',
  );

const permissions = z.array(z.string()).meta({
  description: "The platform's names.",
  example: ['VIEW_CHANNEL', 'SEND_MESSAGES'],
});

const channelId = platformId.nullable();

const contentsSettings = z.object({
  name: z.string().meta({ example: 'Harbour' }),
  description: z.string().nullable(),
  icon: image,
  splash: image,
  discoverySplash: image,
  banner: image,
  verificationLevel: z.enum([...verificationLevels, 'UNKNOWN']),
  defaultMessageNotifications: z.enum([...notificationLevels, 'UNKNOWN']),
  explicitContentFilter: z.enum([...contentFilters, 'UNKNOWN']),
  preferredLocale: z.string().meta({ example: 'en-US' }),
  afkChannelId: channelId,
  afkTimeoutSeconds: count,
  systemChannelId: channelId,
  rulesChannelId: channelId,
  publicUpdatesChannelId: channelId,
  safetyAlertsChannelId: channelId,
  features: z.array(z.string()).meta({ example: ['COMMUNITY'] }),
});

const color = z.int().min(0).max(0xffffff);

const contentsRole = z.object({
  platformId,
  name: z.string().meta({ example: 'Moderators' }),
  color: color.describe('0 means none.').meta({ example: 2_067_276 }),
  secondaryColor: color.nullable(),
  tertiaryColor: color.nullable(),
  icon: image,
  unicodeEmoji: z.string().nullable(),
  position: count,
  isHoisted: z.boolean(),
  isMentionable: z.boolean(),
  isManaged: z.boolean().describe('Made by a bot, an integration or by boosting.'),
  permissions,
});

export const contentsChannelTypes = [
  'TEXT',
  'ANNOUNCEMENT',
  'VOICE',
  'STAGE',
  'FORUM',
  'MEDIA',
  'CATEGORY',
] as const;

const contentsChannel = z.object({
  platformId,
  type: z.enum(contentsChannelTypes),
  name: z.string().meta({ example: 'general' }),
  topic: z.string().nullable(),
  isPrivate: z.boolean().describe('Members without roles cannot see it.'),
  isAgeRestricted: z.boolean(),
  slowModeSeconds: count,
  bitrate: count.nullable(),
  userLimit: count.nullable(),
  tags: z.array(z.string()).describe('The names of the tags of a forum.'),
  overwrites: z
    .array(z.object({ platformId, allow: permissions, deny: permissions }))
    .describe('By role. Of a whole backup, at most 10,000 are listed.'),
  overwriteCounts: z.object({
    roles: count,
    members: count.describe('People are not named here.'),
  }),
});

export const backupContents = z
  .object({
    settings: contentsSettings.nullable().describe('Null if the backup does not hold them.'),
    roles: z.array(contentsRole).describe('Highest first.'),
    channels: z
      .array(contentsChannel.extend({ children: z.array(contentsChannel) }))
      .describe(
        'As the platform shows them: channels without a category, then categories with their channels as `children`.',
      ),
  })
  .meta({ id: 'BackupContents' });
export type BackupContents = z.output<typeof backupContents>;

export const contentsEndpoints = endpointsOf('Backups', {
  getBackupContents: {
    method: 'GET',
    heavy: true,
    path: '/servers/:id/backups/:backupId/contents',
    summary: 'Look into a backup',
    description: 'Its settings, roles and channels. People are left out.',
    scope: 'backups:read',
    owner: 'server',
    params: backupParams,
    data: backupContents,
    refusals: { 409: 'The backup is not completed, or it cannot be read.' },
  },
});

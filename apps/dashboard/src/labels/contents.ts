import type { BackupContents } from '../queries/records.ts';

type ChannelType = BackupContents['channels'][number]['type'];
type Settings = NonNullable<BackupContents['settings']>;

export const channelTypeLabels: Record<ChannelType, string> = {
  TEXT: 'Text channel',
  ANNOUNCEMENT: 'Announcement channel',
  VOICE: 'Voice channel',
  STAGE: 'Stage channel',
  FORUM: 'Forum',
  MEDIA: 'Media channel',
  CATEGORY: 'Category',
};

export const verificationLevelLabels: Record<Settings['verificationLevel'], string> = {
  NONE: 'None',
  LOW: 'Low',
  MEDIUM: 'Medium',
  HIGH: 'High',
  VERY_HIGH: 'Highest',
  UNKNOWN: 'Unknown',
};

export const notificationLabels: Record<Settings['defaultMessageNotifications'], string> = {
  ALL_MESSAGES: 'All messages',
  ONLY_MENTIONS: 'Mentions only',
  UNKNOWN: 'Unknown',
};

export const contentFilterLabels: Record<Settings['explicitContentFilter'], string> = {
  DISABLED: 'Off',
  MEMBERS_WITHOUT_ROLES: 'Members without roles',
  ALL_MEMBERS: 'Everyone',
  UNKNOWN: 'Unknown',
};

/** "#1f8b4c"; undefined where a role has no colour of its own. */
export const colorText = (color: number | null): string | undefined =>
  color ? `#${color.toString(16).padStart(6, '0')}` : undefined;

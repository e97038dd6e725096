import type { backupComponents } from '@holdfast/contract';
import { z } from 'zod';
import { attachment, message, thread } from '../../../platform/conversation.ts';
import {
  ban,
  channel,
  emoji,
  guildMember,
  guildSettings,
  role,
  sticker,
} from '../../../platform/guild.ts';
import {
  automodRule,
  invite,
  onboarding,
  scheduledEvent,
  sound,
  webhook,
  welcomeScreen,
} from '../../../platform/guild-parts.ts';

/** An image among the stored objects; null where the platform did not give it. */
const storedImage = z.object({ hash: z.string(), contentType: z.string() }).nullable();

export const settingsPictures = ['icon', 'splash', 'discoverySplash', 'banner'] as const;

const snapshotSettings = guildSettings.extend({
  pictures: z.object({
    icon: storedImage,
    splash: storedImage,
    discoverySplash: storedImage,
    banner: storedImage,
  }),
  /** Absent in backups of earlier versions, as the two below. */
  widget: z.object({ isEnabled: z.boolean(), channelId: z.string().nullable() }).optional(),
  vanityCode: z.string().nullable().optional(),
  /** Null where they could not be read. */
  invites: z.array(invite).nullable().optional(),
});

const storedMessage = message.extend({
  /** With the hash of its bytes, where they are kept. */
  attachments: z.array(attachment.extend({ hash: z.string().nullable().default(null) })),
  /** Kept because it is pinned, beside the newest messages that were asked for. */
  isOlderPin: z.boolean().default(false),
});

/** What one entry of each section is. Settings, onboarding and welcome screen are sections of one. */
export const sectionEntries = {
  settings: snapshotSettings,
  /** An icon is absent in backups of earlier versions. */
  roles: role.extend({ icon: storedImage.optional() }),
  channels: channel,
  emojis: emoji.extend({ image: storedImage }),
  stickers: sticker.extend({ image: storedImage }),
  bans: ban,
  memberRoles: guildMember,
  automod: automodRule,
  onboarding,
  welcomeScreen,
  events: scheduledEvent.extend({ image: storedImage }),
  soundboard: sound.extend({ sound: storedImage }),
  webhooks: webhook.extend({ avatar: storedImage }),
  threads: thread.extend({ messages: z.array(storedMessage) }),
  messages: storedMessage.extend({ channelId: z.string() }),
} as const satisfies Record<(typeof backupComponents)[number], z.ZodType>;

export type SectionName = keyof typeof sectionEntries;
export type SectionEntry<Name extends SectionName> = z.output<(typeof sectionEntries)[Name]>;

/** The content of a guild at one moment; a section that was not requested is absent. */
export type Snapshot = { guildId: string } & {
  [Name in SectionName]?: SectionEntry<Name>[];
};

export type StoredMessage = z.output<typeof storedMessage>;
export type StoredThread = SectionEntry<'threads'>;
export type StoredImage = z.output<typeof storedImage>;

import type { ChannelType, MessageType, ThreadAutoArchiveDuration } from 'discord-api-types/v10';
import { z } from 'zod';
import { embed } from '../embed.ts';
import { openNumber, orNull } from './open.ts';
import { user } from './people.ts';

const attachment = z.object({
  id: z.string(),
  filename: z.string(),
  content_type: z.string().optional(),
  size: z.number(),
  url: z.string(),
  description: z.string().optional(),
});

const answered = z.object({ id: z.string(), author: user, content: z.string() });

/** The fields that a backup stores; components, polls, reactions and forwarded messages are not kept. */
export const message = z.object({
  id: z.string(),
  channel_id: z.string(),
  type: openNumber<MessageType>(),
  author: user,
  webhook_id: z.string().optional(),
  content: z.string(),
  timestamp: z.string(),
  edited_timestamp: orNull(z.string()),
  pinned: z.boolean(),
  attachments: z.array(attachment),
  embeds: z.array(embed),
  sticker_items: z.array(z.object({ name: z.string() })).optional(),
  referenced_message: answered.nullish(),
  poll: z.unknown().optional(),
});

export const pins = z.object({
  items: z.array(z.object({ pinned_at: z.string(), message })),
  has_more: z.boolean(),
});

export const thread = z.object({
  id: z.string(),
  type: openNumber<
    ChannelType.PublicThread | ChannelType.PrivateThread | ChannelType.AnnouncementThread
  >(),
  name: z.string(),
  parent_id: orNull(z.string()),
  owner_id: z.string().optional(),
  flags: z.number().optional(),
  rate_limit_per_user: z.number().optional(),
  message_count: z.number().optional(),
  last_pin_timestamp: z.string().nullish(),
  applied_tags: z.array(z.string()).optional(),
  thread_metadata: z.object({
    archived: z.boolean(),
    archive_timestamp: orNull(z.string()),
    auto_archive_duration: openNumber<ThreadAutoArchiveDuration>(),
    locked: z.boolean(),
    invitable: z.boolean().optional(),
  }),
});

/** The list of active threads has no `has_more`: it is complete. */
export const threads = z.object({ threads: z.array(thread), has_more: z.boolean().optional() });

/** The token is there only for webhooks of the bot that asks. */
export const postingWebhook = z.object({
  id: z.string(),
  name: orNull(z.string()),
  token: z.string().optional(),
});

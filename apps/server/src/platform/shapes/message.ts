import { z } from 'zod';
import { orNull } from './open.ts';
import { user } from './user.ts';

const attachment = z.object({
  id: z.string(),
  filename: z.string(),
  content_type: z.string().optional(),
  size: z.number(),
});

/** What we keep of a message: whole, it holds embeds, components, polls and other messages. */
export const message = z.object({
  id: z.string(),
  channel_id: z.string(),
  author: user,
  content: z.string(),
  timestamp: z.string(),
  edited_timestamp: orNull(z.string()),
  pinned: z.boolean(),
  attachments: z.array(attachment),
});

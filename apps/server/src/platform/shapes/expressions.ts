import type { StickerFormatType, StickerType } from 'discord-api-types/v10';
import { z } from 'zod';
import { openNumber, openText, orNull } from './open.ts';
import { user } from './people.ts';

export const emoji = z.object({
  id: orNull(z.string()),
  name: orNull(z.string()),
  animated: z.boolean().optional(),
  roles: z.array(z.string()).optional(),
  user: user.optional(),
  require_colons: z.boolean().optional(),
  managed: z.boolean().optional(),
  available: z.boolean().optional(),
});

export const sticker = z.object({
  id: z.string(),
  pack_id: z.string().optional(),
  name: z.string(),
  description: orNull(z.string()),
  tags: z.string(),
  asset: openText<''>().optional(),
  type: openNumber<StickerType>(),
  format_type: openNumber<StickerFormatType>(),
  available: z.boolean().optional(),
  guild_id: z.string().optional(),
  user: user.optional(),
  sort_value: z.number().optional(),
});

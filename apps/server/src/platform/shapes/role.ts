import type { OverwriteType, RoleFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { openNumber, orNull, permissionBits } from './open.ts';

const roleTags = z.object({
  bot_id: z.string().optional(),
  premium_subscriber: z.null().optional(),
  integration_id: z.string().optional(),
  subscription_listing_id: z.string().optional(),
  available_for_purchase: z.null().optional(),
  guild_connections: z.null().optional(),
});

export const role = z.object({
  id: z.string(),
  name: z.string(),
  color: z.number(),
  colors: z.object({
    primary_color: z.number(),
    secondary_color: orNull(z.number()),
    tertiary_color: orNull(z.number()),
  }),
  hoist: z.boolean(),
  icon: z.string().nullish(),
  unicode_emoji: z.string().nullish(),
  position: z.number(),
  permissions: permissionBits,
  managed: z.boolean(),
  mentionable: z.boolean(),
  tags: roleTags.optional(),
  flags: openNumber<RoleFlags>(),
});

export const overwrite = z.object({
  id: z.string(),
  type: openNumber<OverwriteType>(),
  allow: permissionBits,
  deny: permissionBits,
});

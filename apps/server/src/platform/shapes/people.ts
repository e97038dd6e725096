import type {
  GuildMemberFlags,
  NameplatePalette,
  UserFlags,
  UserPremiumType,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { openNumber, openText, orNull } from './open.ts';

const avatarDecoration = z.object({ asset: z.string(), sku_id: z.string() });

const collectibles = z.object({
  nameplate: z
    .object({
      sku_id: z.string(),
      asset: z.string(),
      label: z.string(),
      palette: openText<NameplatePalette>(),
    })
    .optional(),
});

const primaryGuild = z.object({
  identity_guild_id: orNull(z.string()),
  identity_enabled: orNull(z.boolean()),
  tag: orNull(z.string()),
  badge: orNull(z.string()),
});

export const user = z.object({
  id: z.string(),
  username: z.string(),
  discriminator: z.string(),
  global_name: orNull(z.string()),
  avatar: orNull(z.string()),
  bot: z.boolean().optional(),
  system: z.boolean().optional(),
  mfa_enabled: z.boolean().optional(),
  banner: z.string().nullish(),
  accent_color: z.number().nullish(),
  locale: z.string().optional(),
  verified: z.boolean().optional(),
  email: z.string().nullish(),
  flags: openNumber<UserFlags>().optional(),
  premium_type: openNumber<UserPremiumType>().optional(),
  public_flags: openNumber<UserFlags>().optional(),
  avatar_decoration: z.string().nullish(),
  avatar_decoration_data: avatarDecoration.nullish(),
  collectibles: collectibles.nullish(),
  primary_guild: primaryGuild.nullish(),
});

export const member = z.object({
  user,
  nick: z.string().nullish(),
  roles: z.array(z.string()),
  joined_at: orNull(z.string()),
  premium_since: z.string().nullish(),
  pending: z.boolean().optional(),
  communication_disabled_until: z.string().nullish(),
  avatar: z.string().nullish(),
  banner: z.string().nullish(),
  avatar_decoration_data: avatarDecoration.nullish(),
  collectibles: collectibles.nullish(),
  flags: openNumber<GuildMemberFlags>(),
  deaf: z.boolean(),
  mute: z.boolean(),
});

export const ban = z.object({ reason: orNull(z.string()), user });

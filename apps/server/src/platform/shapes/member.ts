import type { GuildMemberFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { openNumber, orNull } from './open.ts';
import { avatarDecoration, collectibles, user } from './user.ts';

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

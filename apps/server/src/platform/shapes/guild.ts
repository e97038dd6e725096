import type {
  APIGuild,
  GuildDefaultMessageNotifications,
  GuildExplicitContentFilter,
  GuildFeature,
  GuildHubType,
  GuildMFALevel,
  GuildNSFWLevel,
  GuildPremiumTier,
  GuildSystemChannelFlags,
  GuildVerificationLevel,
  Locale,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { emoji, sticker } from './expressions.ts';
import { openNumber, openText, orNull, permissionBits } from './open.ts';
import { welcomeScreen } from './parts.ts';
import { role } from './role.ts';

const incidents = z.object({
  invites_disabled_until: orNull(z.string()),
  dms_disabled_until: orNull(z.string()),
  dm_spam_detected_at: z.string().nullish(),
  raid_detected_at: z.string().nullish(),
});

const channels = {
  afk_channel_id: orNull(z.string()),
  system_channel_id: orNull(z.string()),
  rules_channel_id: orNull(z.string()),
  public_updates_channel_id: orNull(z.string()),
  safety_alerts_channel_id: orNull(z.string()),
  widget_channel_id: z.string().nullish(),
};

const levels = {
  afk_timeout: openNumber<APIGuild['afk_timeout']>(),
  verification_level: openNumber<GuildVerificationLevel>(),
  default_message_notifications: openNumber<GuildDefaultMessageNotifications>(),
  explicit_content_filter: openNumber<GuildExplicitContentFilter>(),
  mfa_level: openNumber<GuildMFALevel>(),
  nsfw_level: openNumber<GuildNSFWLevel>(),
  system_channel_flags: openNumber<GuildSystemChannelFlags>(),
  premium_tier: openNumber<GuildPremiumTier>(),
  hub_type: orNull(openNumber<GuildHubType>()),
};

const counts = {
  max_presences: z.number().nullish(),
  max_members: z.number().optional(),
  premium_subscription_count: z.number().optional(),
  max_video_channel_users: z.number().optional(),
  max_stage_video_channel_users: z.number().optional(),
  approximate_member_count: z.number().optional(),
  approximate_presence_count: z.number().optional(),
};

export const guild = z.object({
  ...channels,
  ...levels,
  ...counts,
  id: z.string(),
  name: z.string(),
  description: orNull(z.string()),
  icon: orNull(z.string()),
  icon_hash: z.string().nullish(),
  splash: orNull(z.string()),
  discovery_splash: orNull(z.string()),
  banner: orNull(z.string()),
  owner: z.boolean().optional(),
  owner_id: z.string(),
  permissions: permissionBits.optional(),
  region: z.string().nullish(),
  widget_enabled: z.boolean().optional(),
  roles: z.array(role),
  emojis: z.array(emoji),
  stickers: z.array(sticker).optional(),
  features: z.array(openText<GuildFeature>()),
  application_id: orNull(z.string()),
  vanity_url_code: orNull(z.string()),
  preferred_locale: openText<Locale>(),
  premium_progress_bar_enabled: z.boolean(),
  welcome_screen: welcomeScreen.optional(),
  incidents_data: orNull(incidents),
});

import type { APIGuild } from 'discord-api-types/v10';
import { PlatformFailure } from '../failures.ts';
import type { GuildSettings } from '../guild.ts';
import type { Guild, Image, SettingsChanges } from '../port.ts';
import { emojiOf, stickerOf } from './expressions.ts';
import { roleOf } from './role.ts';

export const guildOf = (guild: APIGuild): Guild => {
  const memberCount = guild.approximate_member_count;
  // The call requests it (`with_counts`).
  if (memberCount === undefined) throw new PlatformFailure('badAnswer');
  return {
    settings: settingsOf(guild),
    ownerId: guild.owner_id,
    memberCount,
    premiumTier: guild.premium_tier,
    widget: {
      isEnabled: guild.widget_enabled ?? false,
      channelId: guild.widget_channel_id ?? null,
    },
    vanityCode: guild.vanity_url_code,
    invitesPausedUntil: timeOf(guild.incidents_data?.invites_disabled_until),
    roles: guild.roles.map(roleOf),
    emojis: guild.emojis.map(emojiOf),
    stickers: (guild.stickers ?? []).map(stickerOf),
  };
};

const timeOf = (text: string | null | undefined): Date | undefined =>
  text ? new Date(text) : undefined;

const settingsOf = (guild: APIGuild): GuildSettings => ({
  name: guild.name,
  description: guild.description,
  iconHash: guild.icon,
  splashHash: guild.splash,
  discoverySplashHash: guild.discovery_splash,
  bannerHash: guild.banner,
  verificationLevel: guild.verification_level,
  defaultMessageNotifications: guild.default_message_notifications,
  explicitContentFilter: guild.explicit_content_filter,
  preferredLocale: guild.preferred_locale,
  afkChannelId: guild.afk_channel_id,
  afkTimeoutSeconds: guild.afk_timeout,
  systemChannelId: guild.system_channel_id,
  systemChannelFlags: guild.system_channel_flags,
  rulesChannelId: guild.rules_channel_id,
  publicUpdatesChannelId: guild.public_updates_channel_id,
  safetyAlertsChannelId: guild.safety_alerts_channel_id,
  isProgressBarEnabled: guild.premium_progress_bar_enabled,
  features: guild.features,
});

/** The platform ignores features that a guild cannot set itself. */
export const settingsBodyOf = (changes: SettingsChanges) => ({
  name: changes.name,
  description: changes.description,
  icon: imageBodyOf(changes.icon),
  splash: imageBodyOf(changes.splash),
  discovery_splash: imageBodyOf(changes.discoverySplash),
  banner: imageBodyOf(changes.banner),
  verification_level: changes.verificationLevel,
  default_message_notifications: changes.defaultMessageNotifications,
  explicit_content_filter: changes.explicitContentFilter,
  preferred_locale: changes.preferredLocale,
  afk_channel_id: changes.afkChannelId,
  afk_timeout: changes.afkTimeoutSeconds,
  system_channel_id: changes.systemChannelId,
  system_channel_flags: changes.systemChannelFlags,
  rules_channel_id: changes.rulesChannelId,
  public_updates_channel_id: changes.publicUpdatesChannelId,
  safety_alerts_channel_id: changes.safetyAlertsChannelId,
  premium_progress_bar_enabled: changes.isProgressBarEnabled,
  features: changes.features,
});

/** Which of our settings a field of that body is. */
export const settingOfField: Record<
  keyof ReturnType<typeof settingsBodyOf>,
  keyof SettingsChanges
> = {
  name: 'name',
  description: 'description',
  icon: 'icon',
  splash: 'splash',
  discovery_splash: 'discoverySplash',
  banner: 'banner',
  verification_level: 'verificationLevel',
  default_message_notifications: 'defaultMessageNotifications',
  explicit_content_filter: 'explicitContentFilter',
  preferred_locale: 'preferredLocale',
  afk_channel_id: 'afkChannelId',
  afk_timeout: 'afkTimeoutSeconds',
  system_channel_id: 'systemChannelId',
  system_channel_flags: 'systemChannelFlags',
  rules_channel_id: 'rulesChannelId',
  public_updates_channel_id: 'publicUpdatesChannelId',
  safety_alerts_channel_id: 'safetyAlertsChannelId',
  premium_progress_bar_enabled: 'isProgressBarEnabled',
  features: 'features',
};

const imageBodyOf = (image: Image | null | undefined) => image && dataUriOf(image);

export const dataUriOf = ({ contentType, bytes }: Image): string =>
  `data:${contentType};base64,${bytes.toBase64()}`;

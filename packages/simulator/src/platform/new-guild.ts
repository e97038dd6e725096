import type { BotAccess, Guild, GuildSettings, Role } from './guild-state.ts';
import { ALL_PERMISSIONS, Permission } from './permissions.ts';

/** What a fresh server lets everybody do. */
export const EVERYONE_PERMISSIONS = (2_248_473_465_835_073n & ALL_PERMISSIONS).toString();

export const ADMINISTRATOR_ACCESS: BotAccess = {
  isMember: true,
  permissions: Permission.Administrator.toString(),
  rolePosition: null,
};

export const newGuild = (id: string, ownerId: string, botAccess: BotAccess): Guild => ({
  id,
  settings: newSettings(ownerId),
  botAccess,
  roles: new Map([[id, newRole(id, '@everyone', { permissions: EVERYONE_PERMISSIONS })]]),
  channels: new Map(),
  emojis: new Map(),
  stickers: new Map(),
  bans: new Map(),
  members: new Map(),
  memberOrder: [],
  messages: new Map(),
  invites: new Map(),
  webhooks: new Map(),
});

export const newRole = (id: string, name: string, fields: Partial<Role> = {}): Role => ({
  id,
  name,
  color: 0,
  colors: { primary_color: fields.color ?? 0, secondary_color: null, tertiary_color: null },
  hoist: false,
  icon: null,
  unicode_emoji: null,
  position: 0,
  permissions: '0',
  managed: false,
  mentionable: false,
  flags: 0,
  ...fields,
});

const newSettings = (ownerId: string): GuildSettings => ({
  name: 'New server',
  icon: null,
  splash: null,
  discovery_splash: null,
  banner: null,
  description: null,
  owner_id: ownerId,
  afk_channel_id: null,
  afk_timeout: 300,
  verification_level: 1,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  features: [],
  mfa_level: 0,
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  safety_alerts_channel_id: null,
  preferred_locale: 'en-US',
  vanity_url_code: null,
  premium_tier: 0,
  premium_subscription_count: 0,
  premium_progress_bar_enabled: false,
  nsfw_level: 0,
  max_members: 500_000,
  widget_enabled: false,
  widget_channel_id: null,
});

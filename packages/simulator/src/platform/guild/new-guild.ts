import type { Message, Thread } from './conversation.ts';
import type { BotAccess, Emoji, Guild, GuildSettings, Member, Role, Sticker } from './guild.ts';
import { ALL_PERMISSIONS, Permission } from './permissions.ts';

/** The permissions of @everyone on a new guild. */
const EVERYONE_PERMISSIONS = (2_248_473_465_835_073n & ALL_PERMISSIONS).toString();

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
  threads: new Map(),
  emojis: new Map(),
  stickers: new Map(),
  bans: new Map(),
  members: new Map(),
  memberOrder: [],
  expelledIds: new Set(),
  messages: new Map(),
  invites: new Map(),
  webhooks: new Map(),
  automod: new Map(),
  onboarding: { prompts: [], default_channel_ids: [], enabled: false, mode: 0 },
  welcomeScreen: { description: null, welcome_channels: [] },
  events: new Map(),
  soundboard: new Map(),
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
  incidents_data: null,
});

export const newMember = (userId: string, joinedAt: string): Member => ({
  user_id: userId,
  nick: null,
  roles: [],
  joined_at: joinedAt,
  mute: false,
  deaf: false,
  communication_disabled_until: null,
});

type WithRequired<Item, Keys extends keyof Item> = Partial<Item> & Pick<Item, Keys>;

export const newMessage = (
  fields: WithRequired<Message, 'id' | 'channel_id' | 'author_id'>,
): Message => ({
  content: '',
  timestamp: new Date().toISOString(),
  edited_timestamp: null,
  tts: false,
  pinned: false,
  embeds: [],
  components: [],
  attachments: [],
  sticker_items: [],
  reactions: [],
  mention_ids: [],
  mention_roles: [],
  mention_everyone: false,
  type: 0,
  flags: 0,
  ...fields,
});

export const newThread = (
  fields: WithRequired<Thread, 'id' | 'guild_id' | 'parent_id' | 'owner_id' | 'name'>,
): Thread => {
  const now = new Date().toISOString();
  const { thread_metadata, ...own } = fields;
  return {
    type: 11,
    last_message_id: null,
    rate_limit_per_user: 0,
    flags: 0,
    total_message_sent: 0,
    members: [{ user_id: fields.owner_id, join_timestamp: now, flags: 0 }],
    ...own,
    thread_metadata: {
      archived: false,
      auto_archive_duration: 1440,
      archive_timestamp: now,
      locked: false,
      create_timestamp: now,
      ...thread_metadata,
    },
  };
};

export const newEmoji = (fields: WithRequired<Emoji, 'id' | 'name'>): Emoji => ({
  roles: [],
  user_id: null,
  require_colons: true,
  managed: false,
  animated: false,
  available: true,
  ...fields,
});

export const newSticker = (fields: WithRequired<Sticker, 'id' | 'name' | 'guild_id'>): Sticker => ({
  description: null,
  tags: '',
  type: 2,
  format_type: 1,
  available: true,
  user_id: null,
  ...fields,
});

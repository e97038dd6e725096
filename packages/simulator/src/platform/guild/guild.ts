import type { AutomodRule, Onboarding, ScheduledEvent, Sound, WelcomeScreen } from './community.ts';
import type { Message, Thread, Webhook } from './conversation.ts';

/** A guild as the simulator stores it. Fields are named as in the API, so responses need no translation. */
export type Overwrite = { id: string; type: 0 | 1; allow: string; deny: string };

export type ForumTag = {
  id: string;
  name: string;
  moderated: boolean;
  emoji_id: string | null;
  emoji_name: string | null;
};

export type Channel = {
  id: string;
  guild_id: string;
  type: number;
  name: string;
  position: number;
  parent_id: string | null;
  permission_overwrites: Overwrite[];
  topic?: string | null;
  nsfw?: boolean;
  rate_limit_per_user?: number;
  bitrate?: number;
  user_limit?: number;
  rtc_region?: string | null;
  video_quality_mode?: number;
  default_auto_archive_duration?: number;
  default_reaction_emoji?: { emoji_id: string | null; emoji_name: string | null } | null;
  default_thread_rate_limit_per_user?: number;
  default_sort_order?: number | null;
  default_forum_layout?: number;
  available_tags?: ForumTag[];
  flags?: number;
  last_message_id?: string | null;
};

export type Role = {
  id: string;
  name: string;
  color: number;
  colors: { primary_color: number; secondary_color: number | null; tertiary_color: number | null };
  hoist: boolean;
  icon: string | null;
  unicode_emoji: string | null;
  position: number;
  permissions: string;
  managed: boolean;
  mentionable: boolean;
  flags: number;
  tags?: {
    bot_id?: string;
    integration_id?: string;
    premium_subscriber?: null;
    guild_connections?: null;
  };
};

export type Emoji = {
  id: string;
  name: string;
  roles: string[];
  user_id: string | null;
  require_colons: boolean;
  managed: boolean;
  animated: boolean;
  available: boolean;
};

export type Sticker = {
  id: string;
  name: string;
  description: string | null;
  tags: string;
  type: 2;
  format_type: number;
  available: boolean;
  guild_id: string;
  user_id: string | null;
};

export type Ban = { reason: string | null };

export type Member = {
  user_id: string;
  nick: string | null;
  roles: string[];
  joined_at: string;
  mute: boolean;
  deaf: boolean;
  communication_disabled_until: string | null;
};

export type Invite = {
  code: string;
  channel_id: string;
  inviter_id: string;
  max_age: number;
  max_uses: number;
  temporary: boolean;
  uses: number;
  created_at: string;
  /** Given to those who join by it. */
  role_ids: string[];
  /** Only these users can use it; null for everybody. */
  target_user_ids: string[] | null;
};

export type GuildSettings = {
  name: string;
  icon: string | null;
  splash: string | null;
  discovery_splash: string | null;
  banner: string | null;
  description: string | null;
  owner_id: string;
  afk_channel_id: string | null;
  afk_timeout: number;
  verification_level: number;
  default_message_notifications: number;
  explicit_content_filter: number;
  features: string[];
  mfa_level: number;
  system_channel_id: string | null;
  system_channel_flags: number;
  rules_channel_id: string | null;
  public_updates_channel_id: string | null;
  safety_alerts_channel_id: string | null;
  preferred_locale: string;
  vanity_url_code: string | null;
  premium_tier: number;
  premium_subscription_count: number;
  premium_progress_bar_enabled: boolean;
  nsfw_level: number;
  max_members: number;
  widget_enabled: boolean;
  widget_channel_id: string | null;
  /** Times until which something is paused; null where nothing ever was. */
  incidents_data: {
    invites_disabled_until: string | null;
    dms_disabled_until: string | null;
  } | null;
};

/** What a bot gets at its first request. Without membership the answer is 50001. */
export type BotAccess = { isMember: boolean; permissions: string; rolePosition: number | null };

/** An image or another file of the CDN. Base64, because the state is written to a JSON file. */
export type StoredImage = { mime: string; base64: string };

export type Guild = {
  id: string;
  settings: GuildSettings;
  botAccess: BotAccess;
  roles: Map<string, Role>;
  channels: Map<string, Channel>;
  /** Not among the channels: they are listed, counted and permitted otherwise. */
  threads: Map<string, Thread>;
  emojis: Map<string, Emoji>;
  stickers: Map<string, Sticker>;
  bans: Map<string, Ban>;
  members: Map<string, Member>;
  /** Who was kicked or banned. A bot among them does not join by its next request. */
  expelledIds: Set<string>;
  /** Ids of members in numeric order, by which the list is paged. */
  memberOrder: string[];
  /** By channel or thread. */
  messages: Map<string, Map<string, Message>>;
  invites: Map<string, Invite>;
  webhooks: Map<string, Webhook>;
  automod: Map<string, AutomodRule>;
  onboarding: Onboarding;
  welcomeScreen: WelcomeScreen;
  events: Map<string, ScheduledEvent>;
  soundboard: Map<string, Sound>;
};

/** What is said in a guild: messages, the threads that hold them and the webhooks that write them. */
export type Attachment = {
  id: string;
  filename: string;
  size: number;
  content_type?: string;
  description?: string;
  title?: string;
  flags?: number;
};

export type Reaction = { emoji: { id: string | null; name: string }; user_ids: string[] };

export type MessageReference = {
  /** 0 is a reply or a pointer of the platform's own, 1 a forwarded message. */
  type: number;
  channel_id: string;
  message_id?: string;
  guild_id?: string;
};

export type Message = {
  id: string;
  channel_id: string;
  author_id: string;
  /** The message came through a webhook, whose name and avatar are shown instead of the author's. */
  webhook_id?: string;
  webhook_name?: string;
  webhook_avatar?: string | null;
  /** The address given at execution; the platform shows only a hash of its own. */
  webhook_avatar_url?: string;
  content: string;
  timestamp: string;
  edited_timestamp: string | null;
  tts: boolean;
  pinned: boolean;
  pinned_at?: string;
  embeds: Record<string, unknown>[];
  components: Record<string, unknown>[];
  attachments: Attachment[];
  sticker_items: { id: string; name: string; format_type: number }[];
  reactions: Reaction[];
  /** Only who is really notified: what `allowed_mentions` suppresses is not here. */
  mention_ids: string[];
  mention_roles: string[];
  mention_everyone: boolean;
  message_reference?: MessageReference;
  /** As its author's request named it. */
  nonce?: string | number;
  poll?: Record<string, unknown>;
  type: number;
  flags: number;
};

export type ThreadMember = { user_id: string; join_timestamp: string; flags: number };

type ThreadMetadata = {
  archived: boolean;
  auto_archive_duration: number;
  archive_timestamp: string;
  locked: boolean;
  create_timestamp: string;
  /** Only of private threads. */
  invitable?: boolean;
};

export type Thread = {
  id: string;
  guild_id: string;
  parent_id: string;
  /** 10 of an announcement channel, 11 public, 12 private. A forum post is a public thread. */
  type: number;
  name: string;
  owner_id: string;
  last_message_id: string | null;
  rate_limit_per_user: number;
  flags: number;
  /** Only of forum posts. */
  applied_tags?: string[];
  /** Deleted messages are still counted. */
  total_message_sent: number;
  thread_metadata: ThreadMetadata;
  members: ThreadMember[];
};

export type Webhook = {
  id: string;
  type: 1;
  channel_id: string;
  name: string;
  avatar: string | null;
  token: string;
  user_id: string;
  /** The bot that made it; null if a person did. */
  application_id: string | null;
};

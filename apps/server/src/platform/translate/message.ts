import { ChannelFlags, ChannelType, MessageType } from 'discord-api-types/v10';
import type { z } from 'zod';
import type { Message, ReadMessage, ReadThread, Thread } from '../conversation.ts';
import type { message, thread } from '../shapes/message.ts';

type RawMessage = z.output<typeof message>;
type RawThread = z.output<typeof thread>;

/** What people and applications wrote; the others are lines of the platform, such as "joined". */
const writtenTypes: readonly MessageType[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];

export const messageOf = (from: RawMessage): ReadMessage => ({
  id: from.id,
  authorId: from.author.id,
  authorName: nameOf(from.author),
  authorAvatarHash: from.author.avatar,
  content: from.content,
  sentAt: from.timestamp,
  editedAt: from.edited_timestamp,
  isPinned: from.pinned,
  pinnedAt: null,
  attachments: from.attachments.map((file) => ({
    id: file.id,
    fileName: file.filename,
    contentType: file.content_type ?? null,
    sizeBytes: file.size,
    description: file.description ?? null,
  })),
  embeds: from.embeds.filter(({ type }) => type === 'rich').map(embedOf),
  stickerNames: from.sticker_items?.map(({ name }) => name) ?? [],
  replyTo: quotationOf(from),
  files: from.attachments.map((file) => ({ attachmentId: file.id, url: file.url })),
  webhookId: from.webhook_id ?? null,
  isWritten: writtenTypes.includes(from.type),
  hasPoll: from.poll !== undefined && from.poll !== null,
});

const nameOf = ({ global_name, username }: RawMessage['author']): string => global_name ?? username;

type Embed = Message['embeds'][number];

/** What an application may send: the rest is added by the platform, such as addresses of its proxy. */
const embedFields = [
  'title',
  'description',
  'url',
  'timestamp',
  'color',
  'footer',
  'image',
  'thumbnail',
  'author',
  'fields',
];

const embedOf = (embed: Embed): Embed =>
  Object.fromEntries(Object.entries(embed).filter(([field]) => embedFields.includes(field)));

const longestExcerpt = 120;

const quotationOf = ({ type, referenced_message: answered }: RawMessage): Message['replyTo'] => {
  if (type !== MessageType.Reply || !answered) return null;
  const text = [...answered.content.replace(/\s+/g, ' ').trim()];
  const isCut = text.length > longestExcerpt;
  return {
    messageId: answered.id,
    authorId: answered.author.id,
    authorName: nameOf(answered.author),
    excerpt: isCut ? `${text.slice(0, longestExcerpt).join('')}…` : text.join(''),
  };
};

const kindOfType = new Map<ChannelType, Thread['kind']>([
  [ChannelType.PublicThread, 'public'],
  [ChannelType.PrivateThread, 'private'],
  [ChannelType.AnnouncementThread, 'announcement'],
]);

export const typeOfKind = {
  public: ChannelType.PublicThread,
  private: ChannelType.PrivateThread,
  announcement: ChannelType.AnnouncementThread,
} as const satisfies Record<Thread['kind'], ChannelType>;

export const threadOf = (from: RawThread): ReadThread => ({
  id: from.id,
  // A thread always has a parent; without one it belongs to no channel of the backup.
  channelId: from.parent_id ?? '',
  kind: kindOfType.get(from.type) ?? 'public',
  name: from.name,
  ownerId: from.owner_id ?? null,
  isArchived: from.thread_metadata.archived,
  isLocked: from.thread_metadata.locked,
  isPinned: ((from.flags ?? 0) & ChannelFlags.Pinned) !== 0,
  isInvitable: from.thread_metadata.invitable ?? true,
  autoArchiveMinutes: from.thread_metadata.auto_archive_duration,
  slowModeSeconds: from.rate_limit_per_user ?? 0,
  tagIds: from.applied_tags ?? [],
  // Unknown counts as some: then the messages are asked for.
  messageCount: from.message_count ?? 1,
  hasPins: (from.last_pin_timestamp ?? null) !== null,
});

import { z } from 'zod';
import type { Secret } from '../kernel/secret.ts';
import { embed } from './embed.ts';

/**
 * What is said in a guild, in our own format: messages, and the threads and forum posts that hold some
 * of them. `guild.ts` has the rest of a guild. They are schemas because a backup may be read years later;
 * fields with a default are absent from backups of earlier versions.
 */

const id = z.string();

export const attachment = z.object({
  id,
  fileName: z.string(),
  contentType: z.string().nullable(),
  sizeBytes: z.number(),
  description: z.string().nullable().default(null),
});

/** The message that is answered, as far as a quotation shows it. */
const quotation = z.object({
  messageId: id,
  authorId: id,
  authorName: z.string(),
  excerpt: z.string(),
});

export const message = z.object({
  id,
  authorId: id,
  authorName: z.string(),
  authorAvatarHash: z.string().nullable().default(null),
  content: z.string(),
  sentAt: z.string(),
  editedAt: z.string().nullable(),
  isPinned: z.boolean(),
  /** By which pins are ordered; null where it is not known. */
  pinnedAt: z.string().nullable().default(null),
  attachments: z.array(attachment),
  /** In the platform's own shape; only those that an application wrote, not previews of links. */
  embeds: z.array(embed).default([]),
  stickerNames: z.array(z.string()).default([]),
  replyTo: quotation.nullable().default(null),
});

const threadKinds = ['public', 'private', 'announcement'] as const;

/** A thread of a text channel, or a post of a forum. */
export const thread = z.object({
  id,
  channelId: id,
  kind: z.enum(threadKinds),
  name: z.string(),
  ownerId: id.nullable(),
  isArchived: z.boolean(),
  isLocked: z.boolean(),
  /** Kept at the top of its forum. */
  isPinned: z.boolean(),
  /** Whether members of a private thread may add others. */
  isInvitable: z.boolean(),
  autoArchiveMinutes: z.number().int(),
  slowModeSeconds: z.number().int(),
  /** Ids of the tags of its forum. */
  tagIds: z.array(id),
});

export type Message = z.output<typeof message>;
export type Thread = z.output<typeof thread>;

/** A message as it was read: its files can be fetched for some hours, and `webhookId` posted it. */
export type ReadMessage = Message & {
  files: { attachmentId: string; url: string }[];
  webhookId: string | null;
  /** By a person or an application; else it is a line of the platform, such as "joined". */
  isWritten: boolean;
  /** A backup does not keep polls. */
  hasPoll: boolean;
};

export type ReadThread = Thread & {
  /** Without the first message of a forum post. */
  messageCount: number;
  hasPins: boolean;
};

/** What the list of channels says about the messages in them, by channel. */
export type ChannelActivity = Map<string, { hasMessages: boolean; hasPins: boolean }>;

/** The right to post under any name in one channel; its token is a secret. */
export type PostingWebhook = { id: string; token: Secret };

export type Post = {
  content: string;
  username: string;
  avatarUrl?: string;
  embeds: Message['embeds'];
  files: {
    name: string;
    description: string | null;
    contentType: string;
    bytes: Uint8Array<ArrayBuffer>;
  }[];
  /** Where it goes: into the webhook's channel, into a thread of it, or into a new post of a forum. */
  to: { threadId: string } | { newPost: { name: string; tagIds: string[] } } | 'channel';
};

/** Everything about messages and threads of one guild. */
export type ConversationPlatform = {
  /** At most a hundred of a channel or thread, newest first: the newest, or those next to an id. */
  readMessages(
    placeId: string,
    page: { before?: string; after?: string; limit: number },
  ): Promise<ReadMessage[]>;
  /** Newest pin first; `before` is the time of the last one of the page before. */
  readPins(
    placeId: string,
    before?: string,
  ): Promise<{ pins: { pinnedAt: string; message: ReadMessage }[]; hasMore: boolean }>;
  readActiveThreads(): Promise<ReadThread[]>;
  readArchivedThreads(
    channelId: string,
    kind: 'public' | 'private',
    before?: string,
  ): Promise<{ threads: ReadThread[]; before: string | undefined }>;

  createPostingWebhook(channelId: string, name: string): Promise<PostingWebhook>;
  /** One of the bot's own, by its name. */
  findPostingWebhook(channelId: string, name: string): Promise<PostingWebhook | undefined>;
  deleteWebhook(webhookId: string): Promise<void>;
  /** Notifies no one. `placeId` is the channel or thread that it came to. */
  post(webhook: PostingWebhook, post: Post): Promise<{ messageId: string; placeId: string }>;

  /** From a message of the channel, or without one. */
  startThread(
    channelId: string,
    start: Pick<Thread, 'name' | 'kind' | 'autoArchiveMinutes' | 'slowModeSeconds'> &
      Pick<Thread, 'isInvitable'> & { messageId?: string },
  ): Promise<string>;
  editThread(
    threadId: string,
    changes: Partial<
      Pick<
        Thread,
        'isArchived' | 'isLocked' | 'isPinned' | 'autoArchiveMinutes' | 'slowModeSeconds'
      >
    >,
  ): Promise<void>;
  pinMessage(placeId: string, messageId: string): Promise<void>;
};

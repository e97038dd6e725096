import { MessageFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { Secret } from '../../kernel/secret.ts';
import type { GuildCalls } from '../client/bot-client.ts';
import { path, webhookPath } from '../client/urls.ts';
import type { ConversationPlatform, Post } from '../conversation.ts';
import { message, pins, postingWebhook, thread, threads } from '../shapes/message.ts';
import { messageOf, threadOf, typeOfKind } from '../translate/message.ts';

const pinsPerPage = '50';
const archivedPerPage = '100';

type Reading = Pick<
  ConversationPlatform,
  'readMessages' | 'readPins' | 'readActiveThreads' | 'readArchivedThreads'
>;

export const createConversationCalls = (calls: GuildCalls): ConversationPlatform => ({
  ...createReading(calls),
  ...createPosting(calls),
  ...createThreadCalls(calls),
});

const createReading = ({ guildId, call }: GuildCalls): Reading => ({
  async readMessages(placeId, { before, after, limit }) {
    const messages = await call({
      method: 'GET',
      path: path`channels/${placeId}/messages`,
      query: { limit: String(limit), ...(before && { before }), ...(after && { after }) },
      answer: z.array(message),
    });
    return messages.map(messageOf);
  },
  async readPins(placeId, before) {
    const { items, has_more } = await call({
      method: 'GET',
      path: path`channels/${placeId}/messages/pins`,
      query: { limit: pinsPerPage, ...(before && { before }) },
      answer: pins,
    });
    const found = items.map(({ pinned_at: pinnedAt, message: one }) => ({
      pinnedAt,
      message: { ...messageOf(one), pinnedAt },
    }));
    return { pins: found, hasMore: has_more };
  },
  async readActiveThreads() {
    const endpoint = path`guilds/${guildId}/threads/active`;
    const active = await call({ method: 'GET', path: endpoint, answer: threads });
    return active.threads.map(threadOf);
  },
  async readArchivedThreads(channelId, kind, before) {
    const page = await call({
      method: 'GET',
      path:
        kind === 'public'
          ? path`channels/${channelId}/threads/archived/public`
          : path`channels/${channelId}/threads/archived/private`,
      query: { limit: archivedPerPage, ...(before && { before }) },
      answer: threads,
    });
    const oldest = page.threads.at(-1)?.thread_metadata.archive_timestamp ?? undefined;
    return { threads: page.threads.map(threadOf), before: page.has_more ? oldest : undefined };
  },
});

type Posting = Pick<
  ConversationPlatform,
  'createPostingWebhook' | 'findPostingWebhook' | 'deleteWebhook' | 'post'
>;

const createPosting = ({ call, send }: GuildCalls): Posting => ({
  async createPostingWebhook(channelId, name) {
    const { id, token = '' } = await call({
      method: 'POST',
      path: path`channels/${channelId}/webhooks`,
      body: { name },
      answer: postingWebhook,
    });
    return { id, token: new Secret(token) };
  },
  async findPostingWebhook(channelId, name) {
    const found = await call({
      method: 'GET',
      path: path`channels/${channelId}/webhooks`,
      answer: z.array(postingWebhook),
    });
    const own = found.find((one) => one.name === name && one.token !== undefined);
    return own && { id: own.id, token: new Secret(own.token ?? '') };
  },
  deleteWebhook: async (webhookId) => send({ method: 'DELETE', path: path`webhooks/${webhookId}` }),
  async post(webhook, post) {
    const { to } = post;
    const posted = await call({
      method: 'POST',
      path: webhookPath(webhook.id, webhook.token),
      isAnonymous: true,
      query: {
        wait: 'true',
        ...(to !== 'channel' && 'threadId' in to && { thread_id: to.threadId }),
      },
      body: postBodyOf(post),
      ...(post.files.length > 0 && { files: post.files }),
      answer: z.object({ id: z.string(), channel_id: z.string() }),
    });
    return { messageId: posted.id, placeId: posted.channel_id };
  },
});

const postBodyOf = ({ content, username, avatarUrl, embeds, files, to }: Post) => ({
  content,
  username,
  avatar_url: avatarUrl,
  embeds,
  attachments: files.map(({ name, description }, index) => ({
    id: String(index),
    filename: name,
    ...(description && { description }),
  })),
  allowed_mentions: { parse: [] },
  flags: MessageFlags.SuppressNotifications,
  ...(to !== 'channel' &&
    'newPost' in to && { thread_name: to.newPost.name, applied_tags: to.newPost.tagIds }),
});

type ThreadCalls = Pick<ConversationPlatform, 'startThread' | 'editThread' | 'pinMessage'>;

/** Of a forum post: it stays at the top. */
const pinnedFlag = 1 << 1;

const createThreadCalls = ({ call, send }: GuildCalls): ThreadCalls => ({
  async startThread(channelId, { name, kind, messageId, ...start }) {
    const body = {
      name,
      auto_archive_duration: start.autoArchiveMinutes,
      rate_limit_per_user: start.slowModeSeconds,
    };
    const started = await call(
      messageId === undefined
        ? {
            method: 'POST',
            path: path`channels/${channelId}/threads`,
            body: {
              ...body,
              type: typeOfKind[kind],
              ...(kind === 'private' && { invitable: start.isInvitable }),
            },
            answer: thread,
          }
        : {
            method: 'POST',
            path: path`channels/${channelId}/messages/${messageId}/threads`,
            body,
            answer: thread,
          },
    );
    return started.id;
  },
  editThread: async (threadId, changes) =>
    send({
      method: 'PATCH',
      path: path`channels/${threadId}`,
      body: {
        archived: changes.isArchived,
        locked: changes.isLocked,
        auto_archive_duration: changes.autoArchiveMinutes,
        rate_limit_per_user: changes.slowModeSeconds,
        ...(changes.isPinned !== undefined && { flags: changes.isPinned ? pinnedFlag : 0 }),
      },
    }),
  pinMessage: async (placeId, messageId) =>
    send({ method: 'PUT', path: path`channels/${placeId}/messages/pins/${messageId}` }),
});

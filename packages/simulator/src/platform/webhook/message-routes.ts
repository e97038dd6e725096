import { z } from 'zod';
import { announce, byNobody } from '../announce/announce.ts';
import { announceMessage } from '../announce/conversation.ts';
import { watch } from '../announce/watch.ts';
import type { Message } from '../guild/conversation.ts';
import type { Channel, Guild } from '../guild/guild.ts';
import { removeMessage } from '../guild/world.ts';
import { ApiError, unknownChannel, unknownMessage } from '../http/api-error.ts';
import { readBody, readQuery, snowflakeField } from '../http/read-body.ts';
import { type Files, readFiles } from '../message/attachments.ts';
import { presentMessage } from '../message/present.ts';
import { messageSchema } from '../message/schema.ts';
import { editMessage, writeMessage } from '../message/write.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { isForum, openPost } from '../thread/create.ts';
import { findWebhookByToken, type WebhookAccess, webhookNameField } from './webhooks.ts';

const executeSchema = messageSchema.extend({
  username: webhookNameField.nullish(),
  avatar_url: z.string().max(2048).nullish(),
  thread_name: z.string().max(100).nullish(),
  applied_tags: z.array(snowflakeField).max(5).nullish(),
});

type Execution = z.output<typeof executeSchema>;

const querySchema = z.object({ wait: z.string().optional(), thread_id: snowflakeField.optional() });

/** What a webhook writes, and the messages that it wrote. */
export const mountWebhookMessageRoutes = (app: PlatformApp, platform: Platform) => {
  app.post('/webhooks/:webhook/:token', (c) => executeWebhook(platform, c));
  const path = '/webhooks/:webhook/:token/messages/:message';
  app.get(path, (c) => {
    const { guild, message } = findOwnMessage(platform, c);
    return c.json(presentMessage(platform, c, guild, message));
  });
  app.patch(path, async (c) => {
    const { guild, message } = findOwnMessage(platform, c);
    const fields = await readBody(c, messageSchema);
    const edit = { fields, files: await readFiles(c), mentionsEveryone: true };
    await editMessage(platform.world, guild, message, edit);
    announceMessage(platform, byNobody(c), guild, { before: message, after: message });
    return c.json(presentMessage(platform, c, guild, message));
  });
  app.delete(path, (c) => {
    const { guild, message } = findOwnMessage(platform, c);
    removeMessage(platform.world, guild, message);
    announceMessage(platform, byNobody(c), guild, { before: message });
    return c.body(null, 204);
  });
};

const executeWebhook = async (platform: Platform, c: PlatformContext) => {
  const access = findWebhookByToken(platform, c);
  const { wait, thread_id } = readQuery(c, querySchema);
  const fields = await readBody(c, executeSchema);
  const files = await readFiles(c);
  const watched = watch(access.guild, ['threads', thread_id ?? '']);
  const message = await say(platform, c, access, { fields, files, threadId: thread_id });
  signMessage(message, access, fields);
  announceMessage(platform, byNobody(c), access.guild, { after: message });
  // A message reopens an archived thread.
  announce(platform, byNobody(c), watched);
  if (wait !== 'true' && wait !== '1') return c.body(null, 204);
  return c.json(presentMessage(platform, c, access.guild, message));
};

const say = async (
  platform: Platform,
  c: PlatformContext,
  { guild, webhook }: WebhookAccess,
  { fields, files, threadId }: { fields: Execution; files: Files; threadId: string | undefined },
): Promise<Message> => {
  const channel = guild.channels.get(webhook.channel_id);
  if (!channel) throw unknownChannel();
  requirePlace(channel, fields, threadId);
  const draft = { authorId: webhook.id, fields, files, mentionsEveryone: true };
  if (fields.thread_name) {
    const { applied_tags, thread_name: name } = fields;
    const post = { name, applied_tags, ownerId: webhook.id };
    return (await openPost(platform, c, guild, channel, { post, draft })).message;
  }
  if (threadId) requireThreadOf(guild, channel, threadId);
  return writeMessage(platform.world, guild, { ...draft, placeId: threadId ?? channel.id });
};

/** Into a forum a webhook writes by beginning a post or by naming one. */
const requirePlace = (
  channel: Channel,
  { thread_name }: Execution,
  threadId: string | undefined,
) => {
  if (isForum(channel)) {
    const either = 'Webhooks posted to forum channels must have a thread_name or thread_id';
    if (!thread_name && !threadId) throw new ApiError(400, 220001, either);
    const both = 'Webhooks posted to forum channels cannot have both a thread_name and thread_id';
    if (thread_name && threadId) throw new ApiError(400, 220002, both);
  } else if (thread_name) {
    throw new ApiError(400, 220003, 'Webhooks can only create threads in forum channels');
  }
};

const requireThreadOf = ({ threads }: Guild, channel: Channel, threadId: string) => {
  if (threads.get(threadId)?.parent_id !== channel.id) throw unknownChannel();
};

/** The name and picture of one message are its own: a later change of the webhook leaves them. */
const signMessage = (message: Message, { webhook }: WebhookAccess, fields: Execution) => {
  const { username, avatar_url } = fields;
  message.webhook_id = webhook.id;
  message.webhook_name = (username ?? webhook.name).trim();
  message.webhook_avatar = avatar_url ? hashOf(avatar_url) : webhook.avatar;
  if (avatar_url) message.webhook_avatar_url = avatar_url;
};

const hashOf = (text: string): string => new Bun.CryptoHasher('md5').update(text).digest('hex');

const findOwnMessage = (platform: Platform, c: PlatformContext) => {
  const { guild, webhook } = findWebhookByToken(platform, c);
  const { thread_id } = readQuery(c, querySchema);
  const placeId = thread_id ?? webhook.channel_id;
  const message = guild.messages.get(placeId)?.get(c.req.param('message') ?? '');
  if (message?.webhook_id !== webhook.id) throw unknownMessage();
  return { guild, message };
};

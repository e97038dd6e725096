import { z } from 'zod';
import { announce, byCaller, byNobody } from '../announce/announce.ts';
import { announceBulkDelete, announceMessage } from '../announce/conversation.ts';
import { watch } from '../announce/watch.ts';
import type { Message } from '../guild/conversation.ts';
import { hasPermission, Permission } from '../guild/permissions.ts';
import { removeMessage } from '../guild/world.ts';
import { accessMessages, type MessagesAccess, requirePermissions } from '../http/access.ts';
import { ApiError, invalidField, missingPermissions } from '../http/api-error.ts';
import { limitField, readBody, readQuery, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { compareSnowflakes, timeOfSnowflake } from '../snowflakes.ts';
import { readFiles } from './attachments.ts';
import { findMessage } from './find-message.ts';
import { mountPinRoutes } from './pin-routes.ts';
import { presentMessage } from './present.ts';
import { mountReactionRoutes } from './reaction-routes.ts';
import { messageSchema, type OwnMessageFields, ownMessageSchema } from './schema.ts';
import { editMessage, writeMessage } from './write.ts';

const pageSchema = z.object({
  limit: limitField(50, 100),
  before: snowflakeField.optional(),
  after: snowflakeField.optional(),
  around: snowflakeField.optional(),
});

const bulkSchema = z.object({ messages: z.array(snowflakeField).min(2).max(100) });

export const mountMessageRoutes = (app: PlatformApp, platform: Platform) => {
  // First, otherwise "pins" would match as the id of a message.
  mountPinRoutes(app, platform);
  app.get('/channels/:channel/messages', (c) => {
    const access = accessMessages(platform, c, Permission.ReadMessageHistory);
    const page = pageOfMessages(access, readQuery(c, pageSchema));
    return c.json(page.map((message) => presentMessage(platform, c, access.guild, message)));
  });
  app.get('/channels/:channel/messages/:message', (c) => {
    const access = accessMessages(platform, c, Permission.ReadMessageHistory);
    return c.json(presentMessage(platform, c, access.guild, findMessage(access, c)));
  });
  app.post('/channels/:channel/messages', (c) => sendMessage(platform, c));
  app.post('/channels/:channel/messages/bulk-delete', (c) => deleteMessages(platform, c));
  app.patch('/channels/:channel/messages/:message', (c) => editOwnMessage(platform, c));
  app.delete('/channels/:channel/messages/:message', (c) => {
    const access = accessMessages(platform, c);
    const message = findMessage(access, c);
    const isOwn = message.author_id === access.bot.id;
    if (!isOwn) requirePermissions(access.permissions, Permission.ManageMessages);
    removeMessage(platform.world, access.guild, message);
    announceMessage(platform, byCaller(c), access.guild, { before: message });
    return c.body(null, 204);
  });
  mountReactionRoutes(app, platform);
};

const sendMessage = async (platform: Platform, c: PlatformContext) => {
  const access = accessMessages(platform, c);
  requireWritable(access);
  const { guild, bot, placeId, permissions } = access;
  const sent = await readBody(c, ownMessageSchema);
  const files = await readFiles(c);
  if (files.size > 0) requirePermissions(permissions, Permission.AttachFiles);
  const fields = withAllowedEmbeds(permissions, sent);
  const hasMore = [fields.content?.trim(), fields.components?.length, files.size].some(Boolean);
  // Only a message that would be nothing without its embeds is refused.
  if (!hasMore && sent.embeds?.length) requirePermissions(permissions, Permission.EmbedLinks);
  const { nonce } = fields;
  const repeated = findRepeated(access, fields);
  if (repeated) return c.json({ ...presentMessage(platform, c, guild, repeated), nonce });
  const { reference, repliedId } = findReference(access, fields);
  const watched = watch(guild, ['threads', placeId]);
  const message = await writeMessage(platform.world, guild, {
    placeId,
    authorId: bot.id,
    fields,
    files,
    mentionsEveryone: hasPermission(permissions, Permission.MentionEveryone),
    stickers: findStickers(access, fields),
    reference,
    repliedId,
    type: repliedId ? 19 : 0,
  });
  if (nonce != null) message.nonce = nonce;
  announceMessage(platform, byCaller(c), guild, { after: message });
  // A message reopens an archived thread.
  announce(platform, byNobody(c), watched);
  return c.json({
    ...presentMessage(platform, c, guild, message),
    ...(nonce != null && { nonce }),
  });
};

const NONCE_KEPT_MS = 5 * 60_000;

/** With `enforce_nonce`: what the bot wrote under the same nonce a few minutes ago, if anything. */
const findRepeated = (
  { guild, bot, placeId }: MessagesAccess,
  { nonce, enforce_nonce }: OwnMessageFields,
): Message | undefined => {
  if (!enforce_nonce || nonce == null) return undefined;
  const since = Date.now() - NONCE_KEPT_MS;
  return [...(guild.messages.get(placeId)?.values() ?? [])].findLast(
    (message) =>
      message.author_id === bot.id &&
      message.nonce === nonce &&
      timeOfSnowflake(message.id) >= since,
  );
};

/** Categories and forums hold no messages themselves. */
const NON_TEXT_TYPES = [4, 14, 15, 16];

const requireWritable = ({ channel, thread, permissions }: MessagesAccess) => {
  if (!thread && NON_TEXT_TYPES.includes(channel.type)) {
    throw new ApiError(400, 50008, 'Cannot send messages in a non-text channel');
  }
  const needed = thread ? Permission.SendMessagesInThreads : Permission.SendMessages;
  requirePermissions(permissions, needed);
  if (thread?.thread_metadata.locked) requirePermissions(permissions, Permission.ManageThreads);
};

const findReference = ({ guild, placeId }: MessagesAccess, fields: OwnMessageFields) => {
  const { message_reference: asked } = fields;
  if (!asked) return {};
  const channelId = asked.channel_id ?? placeId;
  const target = guild.messages.get(channelId)?.get(asked.message_id);
  const mustExist = asked.type === 1 || (asked.fail_if_not_exists ?? true);
  if (!target && mustExist) {
    const code = 'REPLIES_UNKNOWN_MESSAGE';
    throw invalidField(['message_reference', 'message_id'], code, 'Unknown message');
  }
  if (!target) return {};
  const reference = {
    type: asked.type,
    channel_id: channelId,
    message_id: target.id,
    guild_id: guild.id,
  };
  return { reference, repliedId: asked.type === 0 ? target.author_id : undefined };
};

const findStickers = ({ guild }: MessagesAccess, { sticker_ids }: OwnMessageFields) =>
  (sticker_ids ?? []).map((id) => {
    const sticker = guild.stickers.get(id);
    if (!sticker) throw new ApiError(400, 50081, 'Invalid Sticker Sent');
    const { name, format_type } = sticker;
    return { id, name, format_type };
  });

const editOwnMessage = async (platform: Platform, c: PlatformContext) => {
  const access = accessMessages(platform, c);
  const { guild, permissions } = access;
  const message = findMessage(access, c);
  const fields = withAllowedEmbeds(permissions, await readBody(c, messageSchema));
  if (message.author_id !== access.bot.id) requireOnlyFlags(permissions, fields);
  if (access.thread?.thread_metadata.archived) {
    throw new ApiError(400, 50083, 'Thread is archived');
  }
  const mentionsEveryone = hasPermission(permissions, Permission.MentionEveryone);
  const files = await readFiles(c);
  await editMessage(platform.world, guild, message, { fields, files, mentionsEveryone });
  announceMessage(platform, byCaller(c), guild, { before: message, after: message });
  return c.json(presentMessage(platform, c, guild, message));
};

/** Without the permission embeds are dropped, and nothing is said about it. */
const withAllowedEmbeds = <Fields extends z.output<typeof messageSchema>>(
  permissions: bigint,
  fields: Fields,
): Fields =>
  fields.embeds?.length && !hasPermission(permissions, Permission.EmbedLinks)
    ? { ...fields, embeds: [] }
    : fields;

/** Of somebody else's message a moderator can suppress the embeds, nothing more. */
const requireOnlyFlags = (
  permissions: bigint,
  { flags, ...fields }: z.output<typeof messageSchema>,
) => {
  const changesMore = Object.values(fields).some((value) => value !== undefined);
  if (flags == null || changesMore) {
    throw new ApiError(403, 50005, 'Cannot edit a message authored by another user');
  }
  if (!hasPermission(permissions, Permission.ManageMessages)) throw missingPermissions();
};

const MAX_BULK_AGE_MS = 14 * 86_400_000;

const deleteMessages = async (platform: Platform, c: PlatformContext) => {
  const { guild, placeId } = accessMessages(platform, c, Permission.ManageMessages);
  const { messages: ids } = await readBody(c, bulkSchema);
  const oldest = Date.now() - MAX_BULK_AGE_MS;
  if (ids.some((id) => timeOfSnowflake(id) < oldest)) {
    throw new ApiError(400, 50034, 'You can only bulk delete messages that are under 14 days old.');
  }
  const found = ids.flatMap((id) => guild.messages.get(placeId)?.get(id) ?? []);
  for (const message of found) removeMessage(platform.world, guild, message);
  const goneIds = found.map(({ id }) => id);
  if (found.length > 0) announceBulkDelete(platform, byCaller(c), guild, { placeId, ids: goneIds });
  return c.body(null, 204);
};

/** Newest first, whatever selected the page. */
const pageOfMessages = (
  { guild, placeId }: MessagesAccess,
  { limit, before, after, around }: z.output<typeof pageSchema>,
): Message[] => {
  const messages = [...(guild.messages.get(placeId)?.values() ?? [])];
  const isBelow = (bound: string) => (message: Message) => compareSnowflakes(message.id, bound) < 0;
  if (around) {
    const middle = messages.filter(isBelow(around)).length;
    const start = Math.max(0, middle - Math.floor(limit / 2));
    return messages.slice(start, start + limit).reverse();
  }
  if (after) {
    const newer = messages.filter((message) => compareSnowflakes(message.id, after) > 0);
    return newer.slice(0, limit).reverse();
  }
  return (before ? messages.filter(isBelow(before)) : messages).slice(-limit).reverse();
};

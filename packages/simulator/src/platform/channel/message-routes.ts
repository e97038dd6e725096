import { z } from 'zod';
import type { Guild, Message } from '../guild/guild.ts';
import { newMessage } from '../guild/new-guild.ts';
import { hasPermission, Permission } from '../guild/permissions.ts';
import { presentMessage } from '../guild/present.ts';
import type { World } from '../guild/world.ts';
import { accessChannel, type ChannelAccess } from '../http/access.ts';
import { ApiError, missingPermissions, unknownMessage } from '../http/api-error.ts';
import { limitField, readBody, readQuery, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { compareSnowflakes } from '../snowflakes.ts';
import { hideContent } from './message-content.ts';

const MAX_PINS = 50;

const pageSchema = z.object({
  limit: limitField(50, 100),
  before: snowflakeField.optional(),
  after: snowflakeField.optional(),
  around: snowflakeField.optional(),
});

export const messageSchema = z.object({
  content: z.string().max(2000).nullish(),
  embeds: z.array(z.unknown()).max(10).nullish(),
  tts: z.boolean().nullish(),
  flags: z.int().min(0).nullish(),
});

export const mountMessageRoutes = (app: PlatformApp, platform: Platform) => {
  const present = (message: Message) => presentMessage(platform.identities, message);
  // First, otherwise "pins" would match as the id of a message.
  mountPins(app, platform);
  app.get('/channels/:channel/messages', (c) => {
    const access = accessChannel(platform, c, Permission.ReadMessageHistory);
    const page = pageOfMessages(access, readQuery(c, pageSchema));
    return c.json(page.map((message) => hideContent(access.bot, message, present(message))));
  });
  app.get('/channels/:channel/messages/:message', (c) => {
    const access = accessChannel(platform, c, Permission.ReadMessageHistory);
    const message = findMessage(access, c);
    return c.json(hideContent(access.bot, message, present(message)));
  });
  app.post('/channels/:channel/messages', async (c) => {
    const { guild, channel, bot } = accessChannel(platform, c, Permission.SendMessages);
    const fields = await readBody(c, messageSchema);
    const message = writeMessage(platform.world, guild, channel.id, bot.id, fields);
    return c.json(present(message));
  });
  app.patch('/channels/:channel/messages/:message', async (c) => {
    const access = accessChannel(platform, c);
    const message = findMessage(access, c);
    if (message.author_id !== access.bot.id) {
      throw new ApiError(403, 50005, 'Cannot edit a message authored by another user');
    }
    const { content, embeds } = await readBody(c, messageSchema);
    if (content !== undefined) message.content = content ?? '';
    if (embeds !== undefined) message.embeds = embeds ?? [];
    message.edited_timestamp = new Date().toISOString();
    return c.json(present(message));
  });
  app.delete('/channels/:channel/messages/:message', (c) => {
    const access = accessChannel(platform, c);
    const message = findMessage(access, c);
    const isOwn = message.author_id === access.bot.id;
    if (!isOwn && !hasPermission(access.permissions, Permission.ManageMessages)) {
      throw missingPermissions();
    }
    access.guild.messages.get(message.channel_id)?.delete(message.id);
    return c.body(null, 204);
  });
};

export const writeMessage = (
  world: World,
  guild: Guild,
  channelId: string,
  authorId: string,
  { content, embeds, tts, flags }: z.output<typeof messageSchema>,
): Message => {
  if (!content && !embeds?.length) {
    throw new ApiError(400, 50006, 'Cannot send an empty message');
  }
  const message = newMessage({
    id: world.nextId(),
    channel_id: channelId,
    author_id: authorId,
    content: content ?? '',
    tts: tts ?? false,
    embeds: embeds ?? [],
    flags: flags ?? 0,
  });
  const messages = guild.messages.get(channelId) ?? new Map<string, Message>();
  guild.messages.set(channelId, messages.set(message.id, message));
  const channel = guild.channels.get(channelId);
  if (channel) channel.last_message_id = message.id;
  return message;
};

const mountPins = (app: PlatformApp, platform: Platform) => {
  const listPinned = (c: PlatformContext) => {
    const access = accessChannel(platform, c, Permission.ReadMessageHistory);
    return pinsOf(access).map((message) =>
      hideContent(access.bot, message, presentMessage(platform.identities, message)),
    );
  };
  app.get('/channels/:channel/pins', (c) => c.json(listPinned(c)));
  app.get('/channels/:channel/messages/pins', (c) => {
    const items = listPinned(c).map((message) => ({ pinned_at: message.timestamp, message }));
    return c.json({ items, has_more: false });
  });
  const setPinned = (isPinned: boolean) => (c: PlatformContext) => {
    const access = accessChannel(platform, c, Permission.ManageMessages);
    const message = findMessage(access, c);
    if (isPinned && !message.pinned && pinsOf(access).length >= MAX_PINS) {
      const message = `Maximum number of pins reached for the channel (${MAX_PINS})`;
      throw new ApiError(400, 30003, message);
    }
    message.pinned = isPinned;
    return c.body(null, 204);
  };
  for (const path of ['/channels/:channel/pins', '/channels/:channel/messages/pins']) {
    app.put(`${path}/:message`, setPinned(true));
    app.delete(`${path}/:message`, setPinned(false));
  }
};

const pinsOf = ({ guild, channel }: ChannelAccess): Message[] =>
  [...(guild.messages.get(channel.id)?.values() ?? [])].filter(({ pinned }) => pinned).reverse();

const findMessage = ({ guild, channel }: ChannelAccess, c: PlatformContext): Message => {
  const message = guild.messages.get(channel.id)?.get(c.req.param('message') ?? '');
  if (!message) throw unknownMessage();
  return message;
};

/** Newest first, whatever selected the page. */
const pageOfMessages = (
  { guild, channel }: ChannelAccess,
  { limit, before, after, around }: z.output<typeof pageSchema>,
): Message[] => {
  const messages = [...(guild.messages.get(channel.id)?.values() ?? [])];
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

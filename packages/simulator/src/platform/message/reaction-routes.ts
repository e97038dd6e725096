import { z } from 'zod';
import type { Message, Reaction } from '../guild/conversation.ts';
import type { Guild } from '../guild/guild.ts';
import { Permission } from '../guild/permissions.ts';
import { presentUser } from '../guild/present.ts';
import { accessMessages } from '../http/access.ts';
import { limitReached, unknownEmoji } from '../http/api-error.ts';
import { limitField, readQuery, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { compareSnowflakes } from '../snowflakes.ts';
import { findMessage } from './find-message.ts';

const MAX_REACTIONS = 20;

const pageSchema = z.object({ limit: limitField(25, 100), after: snowflakeField.optional() });

export const mountReactionRoutes = (app: PlatformApp, platform: Platform) => {
  const path = '/channels/:channel/messages/:message/reactions';
  app.get(`${path}/:emoji`, (c) => {
    const { reaction } = accessReaction(platform, c, Permission.ReadMessageHistory);
    const { limit, after = '0' } = readQuery(c, pageSchema);
    const userIds = (reaction?.user_ids ?? [])
      .filter((id) => compareSnowflakes(id, after) > 0)
      .sort(compareSnowflakes);
    return c.json(userIds.slice(0, limit).map((id) => presentUser(platform.identities, id)));
  });
  app.put(`${path}/:emoji/@me`, (c) => addReaction(platform, c));
  app.delete(`${path}/:emoji/:user`, (c) => {
    const isOwn = c.req.param('user') === '@me';
    const needed = isOwn ? [] : [Permission.ManageMessages];
    const { bot, message, reaction } = accessReaction(platform, c, ...needed);
    const userId = isOwn ? bot.id : c.req.param('user');
    if (reaction) reaction.user_ids = reaction.user_ids.filter((id) => id !== userId);
    message.reactions = message.reactions.filter(({ user_ids }) => user_ids.length > 0);
    return c.body(null, 204);
  });
  app.delete(`${path}/:emoji`, (c) => {
    const { message, reaction } = accessReaction(platform, c, Permission.ManageMessages);
    message.reactions = message.reactions.filter((one) => one !== reaction);
    return c.body(null, 204);
  });
  app.delete(path, (c) => {
    accessMessage(platform, c, Permission.ManageMessages).message.reactions = [];
    return c.body(null, 204);
  });
};

const addReaction = (platform: Platform, c: PlatformContext) => {
  const { bot, message, reaction, emoji } = accessReaction(
    platform,
    c,
    Permission.ReadMessageHistory,
    Permission.AddReactions,
  );
  if (reaction) {
    reaction.user_ids = [...new Set([...reaction.user_ids, bot.id])];
  } else {
    if (message.reactions.length >= MAX_REACTIONS) {
      throw limitReached(30010, 'reactions', MAX_REACTIONS);
    }
    message.reactions.push({ emoji, user_ids: [bot.id] });
  }
  return c.body(null, 204);
};

const accessMessage = (platform: Platform, c: PlatformContext, ...required: bigint[]) => {
  const access = accessMessages(platform, c, ...required);
  return { ...access, message: findMessage(access, c) };
};

const accessReaction = (platform: Platform, c: PlatformContext, ...required: bigint[]) => {
  const access = accessMessage(platform, c, ...required);
  const emoji = parseEmoji(access.guild, c.req.param('emoji') ?? '');
  return { ...access, emoji, reaction: findReaction(access.message, emoji) };
};

const findReaction = ({ reactions }: Message, emoji: Reaction['emoji']): Reaction | undefined =>
  reactions.find(
    ({ emoji: { id, name } }) => id === emoji.id && (id !== null || name === emoji.name),
  );

/** `name:id` of a guild's own emoji, or a character. */
const parseEmoji = (guild: Guild, text: string): Reaction['emoji'] => {
  const [, name = '', id] = /^(?:a:)?(\w+):(\d+)$/.exec(text) ?? [];
  if (id) {
    if (!guild.emojis.has(id)) throw unknownEmoji();
    return { id, name };
  }
  if (text === '' || /^[\w:]+$/.test(text)) throw unknownEmoji();
  return { id: null, name: text };
};

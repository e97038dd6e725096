import { z } from 'zod';
import { announceReaction } from '../announce/conversation.ts';
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
    const { guild, bot, message, reaction, emoji } = accessReaction(platform, c, ...needed);
    const userId = isOwn ? bot.id : c.req.param('user');
    const wasThere = reaction?.user_ids.includes(userId);
    if (reaction) reaction.user_ids = reaction.user_ids.filter((id) => id !== userId);
    message.reactions = message.reactions.filter(({ user_ids }) => user_ids.length > 0);
    const gone = { message, emoji, userId };
    if (wasThere) announceReaction(platform, guild, 'MESSAGE_REACTION_REMOVE', gone);
    return c.body(null, 204);
  });
  app.delete(`${path}/:emoji`, (c) => {
    const access = accessReaction(platform, c, Permission.ManageMessages);
    const { guild, message, reaction } = access;
    message.reactions = message.reactions.filter((one) => one !== reaction);
    if (reaction) announceReaction(platform, guild, 'MESSAGE_REACTION_REMOVE_EMOJI', access);
    return c.body(null, 204);
  });
  app.delete(path, (c) => {
    const { guild, message } = accessMessage(platform, c, Permission.ManageMessages);
    message.reactions = [];
    announceReaction(platform, guild, 'MESSAGE_REACTION_REMOVE_ALL', { message });
    return c.body(null, 204);
  });
};

const addReaction = (platform: Platform, c: PlatformContext) => {
  const { guild, bot, message, reaction, emoji } = accessReaction(
    platform,
    c,
    Permission.ReadMessageHistory,
    Permission.AddReactions,
  );
  if (reaction?.user_ids.includes(bot.id)) return c.body(null, 204);
  if (reaction) {
    reaction.user_ids = [...reaction.user_ids, bot.id];
  } else {
    if (message.reactions.length >= MAX_REACTIONS) {
      throw limitReached(30010, 'reactions', MAX_REACTIONS);
    }
    message.reactions.push({ emoji, user_ids: [bot.id] });
  }
  announceReaction(platform, guild, 'MESSAGE_REACTION_ADD', { message, emoji, userId: bot.id });
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

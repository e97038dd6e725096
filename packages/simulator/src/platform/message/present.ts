import type { Attachment, Message, Reaction } from '../guild/conversation.ts';
import type { Guild } from '../guild/guild.ts';
import { presentUser } from '../guild/present.ts';
import { attachmentKey } from '../guild/world.ts';
import type { Application, Platform, PlatformContext } from '../platform.ts';
import { presentThread } from '../thread/present.ts';
import { hideContent } from './hide-content.ts';

/** Where files are read, and the bot that reads; without one nothing is hidden. */
type Reader = { origin: string; bot: Application | undefined };

/** A message as this request's bot sees it. */
export const presentMessage = (
  platform: Platform,
  c: PlatformContext,
  guild: Guild,
  message: Message,
) => {
  const reader = { origin: new URL(c.req.url).origin, bot: c.get('bot') };
  return presentMessageTo(platform, reader, guild, message);
};

export const presentMessageTo = (
  platform: Platform,
  reader: Reader,
  guild: Guild,
  message: Message,
) => {
  const referenced = findReferenced(guild, message);
  return {
    ...presentAlone(platform, reader, guild, message),
    ...(referenced !== undefined && {
      referenced_message: referenced && presentAlone(platform, reader, guild, referenced),
    }),
  };
};

/** Undefined: it points at no message. Null: at one that is gone. */
const findReferenced = (guild: Guild, { message_reference, type }: Message) => {
  const { channel_id, message_id, type: kind } = message_reference ?? {};
  // Only replies and the beginning of a thread show what they point at.
  if (!channel_id || !message_id || kind !== 0 || (type !== 19 && type !== 21)) return undefined;
  return guild.messages.get(channel_id)?.get(message_id) ?? null;
};

const presentAlone = (platform: Platform, reader: Reader, guild: Guild, message: Message) => {
  const {
    author_id: _author,
    webhook_name: _name,
    webhook_avatar: _avatar,
    webhook_avatar_url: _url,
    pinned_at: _pinnedAt,
    mention_ids,
    sticker_items,
    reactions,
    ...fields
  } = message;
  const { identities } = platform;
  const thread = guild.threads.get(message.id);
  const { bot, origin } = reader;
  return hideContent(bot, guild, message, {
    ...fields,
    author: presentAuthor(platform, message),
    attachments: message.attachments.map((one) => presentAttachment(origin, message, one)),
    mentions: mention_ids.map((id) => presentUser(identities, id)),
    ...(sticker_items.length > 0 && { sticker_items }),
    ...(reactions.length > 0 && {
      reactions: reactions.map((reaction) => presentReaction(reaction, bot?.id)),
    }),
    ...(thread && { thread: presentThread(guild, thread) }),
  });
};

const presentAuthor = ({ identities }: Platform, message: Message) => {
  const author = presentUser(identities, message.author_id);
  if (!message.webhook_name) return author;
  return {
    ...author,
    username: message.webhook_name,
    global_name: null,
    avatar: message.webhook_avatar ?? null,
    discriminator: '0000',
    bot: true,
  };
};

const presentAttachment = (origin: string, message: Message, attachment: Attachment) => {
  const path = attachmentKey(message.channel_id, attachment);
  const url = `${origin}/cdn/${encodeURI(path)}`;
  return { ...attachment, url, proxy_url: url };
};

const presentReaction = ({ emoji, user_ids }: Reaction, botId: string | undefined) => ({
  emoji,
  count: user_ids.length,
  count_details: { burst: 0, normal: user_ids.length },
  burst_colors: [],
  me_burst: false,
  me: botId !== undefined && user_ids.includes(botId),
});

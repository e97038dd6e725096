import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import type { GuildPlatform, Image } from '../port.ts';
import { emoji, sticker } from '../shapes/expressions.ts';
import { emojiOf, stickerOf } from '../translate/expressions.ts';
import { dataUriOf } from '../translate/guild.ts';

type EmojiCalls = Pick<GuildPlatform, 'createEmoji' | 'editEmoji' | 'deleteEmoji'>;

export const createEmojiCalls = ({ guildId, call, send }: GuildCalls): EmojiCalls => ({
  async createEmoji({ name, image, roleIds }) {
    const created = await call({
      method: 'POST',
      path: path`guilds/${guildId}/emojis`,
      body: { name, image: dataUriOf(image), roles: roleIds },
      answer: emoji,
    });
    return emojiOf(created);
  },
  editEmoji: async (emojiId, { name, roleIds }) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/emojis/${emojiId}`,
      body: { name, roles: roleIds },
    }),
  deleteEmoji: async (emojiId) =>
    send({ method: 'DELETE', path: path`guilds/${guildId}/emojis/${emojiId}` }),
});

type StickerCalls = Pick<GuildPlatform, 'createSticker' | 'editSticker' | 'deleteSticker'>;

export const createStickerCalls = ({ guildId, call, send }: GuildCalls): StickerCalls => ({
  async createSticker({ name, description, tags, image }) {
    const created = await call({
      method: 'POST',
      path: path`guilds/${guildId}/stickers`,
      body: { name, description: description ?? '', tags },
      file: stickerFileOf(image),
      answer: sticker,
    });
    return stickerOf(created);
  },
  editSticker: async (stickerId, { name, description, tags }) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/stickers/${stickerId}`,
      body: { name, description, tags },
    }),
  deleteSticker: async (stickerId) =>
    send({ method: 'DELETE', path: path`guilds/${guildId}/stickers/${stickerId}` }),
});

/** An animated PNG is sent as `image/png`: the platform refuses `image/apng`. */
const stickerFileOf = ({ contentType, bytes }: Image) => {
  if (contentType === 'application/json') return { name: 'sticker.json', contentType, bytes };
  if (contentType === 'image/gif') return { name: 'sticker.gif', contentType, bytes };
  return { name: 'sticker.png', contentType: 'image/png', bytes };
};

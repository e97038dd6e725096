import { z } from 'zod';
import { path } from '../path.ts';
import type { GuildPlatform, Image } from '../port.ts';
import { emoji, sticker } from '../shapes/expressions.ts';
import { emojiOf, stickerOf } from '../translate/expressions.ts';
import { dataUriOf } from '../translate/guild.ts';
import type { GuildCalls } from './guild-calls.ts';

type EmojiVerbs = Pick<GuildPlatform, 'createEmoji' | 'editEmoji' | 'deleteEmoji'>;

export const createEmojiVerbs = ({ guildId, call }: GuildCalls): EmojiVerbs => ({
  async createEmoji({ name, image, roleIds }) {
    const made = await call({
      method: 'POST',
      path: path`guilds/${guildId}/emojis`,
      body: { name, image: dataUriOf(image), roles: roleIds },
      answer: emoji,
    });
    return emojiOf(made);
  },
  async editEmoji(emojiId, { name, roleIds }) {
    await call({
      method: 'PATCH',
      path: path`guilds/${guildId}/emojis/${emojiId}`,
      body: { name, roles: roleIds },
      answer: z.unknown(),
    });
  },
  async deleteEmoji(emojiId) {
    await call({
      method: 'DELETE',
      path: path`guilds/${guildId}/emojis/${emojiId}`,
      answer: z.unknown(),
    });
  },
});

type StickerVerbs = Pick<GuildPlatform, 'createSticker' | 'editSticker' | 'deleteSticker'>;

export const createStickerVerbs = ({ guildId, call }: GuildCalls): StickerVerbs => ({
  async createSticker({ name, description, tags, image }) {
    const made = await call({
      method: 'POST',
      path: path`guilds/${guildId}/stickers`,
      body: { name, description: description ?? '', tags },
      file: stickerFileOf(image),
      answer: sticker,
    });
    return stickerOf(made);
  },
  async editSticker(stickerId, { name, description, tags }) {
    await call({
      method: 'PATCH',
      path: path`guilds/${guildId}/stickers/${stickerId}`,
      body: { name, description, tags },
      answer: z.unknown(),
    });
  },
  async deleteSticker(stickerId) {
    await call({
      method: 'DELETE',
      path: path`guilds/${guildId}/stickers/${stickerId}`,
      answer: z.unknown(),
    });
  },
});

/** A moving PNG goes in as any PNG: the platform refuses its own name for it. */
const stickerFileOf = ({ contentType, bytes }: Image) => {
  if (contentType === 'application/json') return { name: 'sticker.json', contentType, bytes };
  if (contentType === 'image/gif') return { name: 'sticker.gif', contentType, bytes };
  return { name: 'sticker.png', contentType: 'image/png', bytes };
};

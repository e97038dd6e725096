import { type APIEmoji, type APISticker, StickerFormatType } from 'discord-api-types/v10';
import { PlatformFailure } from '../failures.ts';
import type { Emoji, Sticker } from '../guild.ts';

/** Only in a reaction may an emoji be without its id or name. */
export const emojiOf = ({ id, name, animated, managed, roles }: APIEmoji): Emoji => {
  if (id === null || name === null) throw new PlatformFailure('badAnswer');
  return {
    id,
    name,
    isAnimated: animated ?? false,
    isManaged: managed ?? false,
    roleIds: roles ?? [],
  };
};

/** The platform stores an empty description as null or as an empty text. */
export const stickerOf = ({ id, name, description, tags, format_type }: APISticker): Sticker => ({
  id,
  name,
  description: description || null,
  tags,
  format: formatOf(format_type),
});

const formats = new Map<StickerFormatType, Sticker['format']>([
  [StickerFormatType.PNG, 'png'],
  [StickerFormatType.APNG, 'apng'],
  [StickerFormatType.Lottie, 'lottie'],
  [StickerFormatType.GIF, 'gif'],
]);

const formatOf = (type: StickerFormatType): Sticker['format'] => {
  const format = formats.get(type);
  if (format === undefined) throw new PlatformFailure('badAnswer');
  return format;
};

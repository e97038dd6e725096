import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { mimeOfFileName, parseDataUri } from '../cdn/images.ts';
import { accessGuild } from '../http/access.ts';
import {
  ApiError,
  invalidField,
  limitReached,
  unknownEmoji,
  unknownSticker,
} from '../http/api-error.ts';
import { parseForm, readBody, readFormData, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { boostedLimit } from './features.ts';
import type { Emoji, Guild, Sticker } from './guild.ts';
import { newEmoji, newSticker } from './new-guild.ts';
import { Permission } from './permissions.ts';
import { presentExpression } from './present.ts';

/** Emojis and stickers: the same five routes over two collections of a guild. */
export const mountExpressionRoutes = (app: PlatformApp, platform: Platform) => {
  mountRoutes(app, platform, {
    kind: 'emojis',
    collectionOf: ({ emojis }) => emojis,
    unknown: unknownEmoji,
    create: createEmoji,
    edit: editEmoji,
  });
  mountRoutes(app, platform, {
    kind: 'stickers',
    collectionOf: ({ stickers }) => stickers,
    unknown: unknownSticker,
    create: createSticker,
    edit: editSticker,
  });
};

type ExpressionRoutes<Expression> = {
  kind: 'emojis' | 'stickers';
  collectionOf: (guild: Guild) => Map<string, Expression>;
  unknown: () => ApiError;
  create: (platform: Platform, c: PlatformContext) => Promise<Expression>;
  edit: (expression: Expression, c: PlatformContext) => Promise<void>;
};

const mountRoutes = <Expression extends Emoji | Sticker>(
  app: PlatformApp,
  platform: Platform,
  { kind, collectionOf, unknown, create, edit }: ExpressionRoutes<Expression>,
) => {
  const path = `/guilds/:guild/${kind}`;
  const present = (expression: Expression) => presentExpression(platform.identities, expression);
  const find = (c: PlatformContext, ...permissions: bigint[]) => {
    const { guild } = accessGuild(platform, c, ...permissions);
    const collection = collectionOf(guild);
    const expression = collection.get(c.req.param('id') ?? '');
    if (!expression) throw unknown();
    return { guild, collection, expression };
  };

  app.get(path, (c) => {
    const { guild } = accessGuild(platform, c);
    return c.json([...collectionOf(guild).values()].map(present));
  });
  app.get(`${path}/:id`, (c) => c.json(present(find(c).expression)));
  app.post(path, async (c) => c.json(present(await create(platform, c)), 201));
  app.patch(`${path}/:id`, async (c) => {
    const { guild, expression } = find(c, Permission.ManageExpressions);
    const watched = watch(guild, [kind, expression.id]);
    await edit(expression, c);
    announce(platform, byCaller(c), watched);
    return c.json(present(expression));
  });
  app.delete(`${path}/:id`, (c) => {
    const { guild, collection, expression } = find(c, Permission.ManageExpressions);
    const watched = watch(guild, [kind, expression.id]);
    collection.delete(expression.id);
    announce(platform, byCaller(c), watched);
    platform.world.images.delete(`${kind}/${expression.id}`);
    return c.body(null, 204);
  });
};

const MAX_EMOJI_BYTES = 256 * 1024;

const emojiName = z.string().regex(/^\w{2,32}$/, 'Must be between 2 and 32 in length.');
const rolesField = z.array(snowflakeField).nullish();
const newEmojiSchema = z.object({ name: emojiName, image: z.string(), roles: rolesField });
const emojiChangesSchema = z.object({ name: emojiName.nullish(), roles: rolesField });

const createEmoji = async (platform: Platform, c: PlatformContext) => {
  const { world } = platform;
  const { guild, bot } = accessGuild(platform, c, Permission.CreateExpressions);
  const { name, image: uri, roles } = await readBody(c, newEmojiSchema);
  const image = parseDataUri(uri, 'image');
  if (Buffer.byteLength(image.base64, 'base64') > MAX_EMOJI_BYTES) {
    throw new ApiError(400, 50138, 'Failed to resize asset below the maximum size: 262144');
  }
  const emoji = newEmoji({
    id: world.nextId(),
    name,
    roles: roles ?? [],
    user_id: bot.id,
    animated: image.mime === 'image/gif',
  });
  requireEmojiSlot(guild, emoji.animated);
  const watched = watch(guild, ['emojis', emoji.id]);
  guild.emojis.set(emoji.id, emoji);
  world.images.set(`emojis/${emoji.id}`, image);
  announce(platform, byCaller(c), watched);
  return emoji;
};

/** Static and animated emojis have the same number of slots each. */
const requireEmojiSlot = (guild: Guild, isAnimated: boolean) => {
  const slots = boostedLimit(guild, 'emojis');
  let used = 0;
  for (const emoji of guild.emojis.values()) if (emoji.animated === isAnimated) used += 1;
  if (used >= slots) throw limitReached(isAnimated ? 30018 : 30008, 'emojis', slots);
};

const editEmoji = async (emoji: Emoji, c: PlatformContext) => {
  const { name, roles } = await readBody(c, emojiChangesSchema);
  emoji.name = name ?? emoji.name;
  if (roles !== undefined) emoji.roles = roles ?? [];
};

const FORMAT_OF_MIME: Record<string, number> = {
  'image/png': 1,
  'image/apng': 2,
  'application/json': 3,
  'image/gif': 4,
};

const newStickerSchema = z.object({
  name: z.string().min(2).max(30),
  description: z.string().max(100).default(''),
  tags: z.string().min(1).max(200),
});
const stickerChangesSchema = z.object({
  name: z.string().min(2).max(30).optional(),
  description: z.string().max(100).nullish(),
  tags: z.string().max(200).optional(),
});

const createSticker = async (platform: Platform, c: PlatformContext) => {
  const { guild, bot } = accessGuild(platform, c, Permission.CreateExpressions);
  const form = await readFormData(c);
  const fields = parseForm(newStickerSchema, Object.fromEntries(form));
  const file = form.get('file');
  if (!(file instanceof File)) {
    throw invalidField(['file'], 'BASE_TYPE_REQUIRED', 'This field is required');
  }
  const slots = boostedLimit(guild, 'stickers');
  if (guild.stickers.size >= slots) throw limitReached(30039, 'stickers', slots);
  const mime = file.type in FORMAT_OF_MIME ? file.type : mimeOfFileName(file.name);
  const sticker = newSticker({
    id: platform.world.nextId(),
    ...fields,
    format_type: FORMAT_OF_MIME[mime] ?? 1,
    guild_id: guild.id,
    user_id: bot.id,
  });
  const base64 = Buffer.from(await file.arrayBuffer()).toString('base64');
  const watched = watch(guild, ['stickers', sticker.id]);
  guild.stickers.set(sticker.id, sticker);
  platform.world.images.set(`stickers/${sticker.id}`, { mime, base64 });
  announce(platform, byCaller(c), watched);
  return sticker;
};

const editSticker = async (sticker: Sticker, c: PlatformContext) => {
  const { description, ...fields } = await readBody(c, stickerChangesSchema);
  Object.assign(sticker, fields);
  if (description !== undefined) sticker.description = description;
};

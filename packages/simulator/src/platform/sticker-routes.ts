import { z } from 'zod';
import { type GuildAccess, openGuild } from './access.ts';
import { invalidField, limitReached, unknownSticker } from './api-error.ts';
import type { Sticker } from './guild-state.ts';
import { mimeOfFileName } from './images.ts';
import { Permission } from './permissions.ts';
import type { Platform, PlatformApp, PlatformContext } from './platform.ts';
import { presentSticker } from './present.ts';
import { parseForm, readBody, readFormData } from './read-body.ts';

const SLOTS_BY_TIER = [5, 15, 30, 60];
const FORMAT_OF_MIME: Record<string, number> = {
  'image/png': 1,
  'image/apng': 2,
  'application/json': 3,
  'image/gif': 4,
};

const newSchema = z.object({
  name: z.string().min(2).max(30),
  description: z.string().max(100).default(''),
  tags: z.string().min(1).max(200),
});
const editSchema = z.object({
  name: z.string().min(2).max(30).optional(),
  description: z.string().max(100).nullish(),
  tags: z.string().max(200).optional(),
});

export const mountStickerRoutes = (app: PlatformApp, platform: Platform) => {
  const { identities } = platform;
  app.get('/guilds/:guild/stickers', (c) => {
    const { guild } = openGuild(platform, c);
    return c.json([...guild.stickers.values()].map((one) => presentSticker(identities, one)));
  });
  app.get('/guilds/:guild/stickers/:sticker', (c) =>
    c.json(presentSticker(identities, findSticker(openGuild(platform, c), c))),
  );
  app.post('/guilds/:guild/stickers', (c) => createSticker(platform, c));
  app.patch('/guilds/:guild/stickers/:sticker', async (c) => {
    const sticker = findSticker(openGuild(platform, c, Permission.ManageExpressions), c);
    const { description, ...fields } = await readBody(c, editSchema);
    Object.assign(sticker, fields);
    if (description !== undefined) sticker.description = description;
    return c.json(presentSticker(identities, sticker));
  });
  app.delete('/guilds/:guild/stickers/:sticker', (c) => {
    const access = openGuild(platform, c, Permission.ManageExpressions);
    const sticker = findSticker(access, c);
    access.guild.stickers.delete(sticker.id);
    platform.world.images.delete(`stickers/${sticker.id}`);
    return c.body(null, 204);
  });
};

const findSticker = ({ guild }: GuildAccess, c: PlatformContext): Sticker => {
  const sticker = guild.stickers.get(c.req.param('sticker') ?? '');
  if (!sticker) throw unknownSticker();
  return sticker;
};

const createSticker = async (platform: Platform, c: PlatformContext) => {
  const { guild, bot } = openGuild(platform, c, Permission.CreateExpressions);
  const form = await readFormData(c);
  const fields = parseForm(newSchema, Object.fromEntries(form));
  const file = form.get('file');
  if (!(file instanceof File)) {
    throw invalidField(['file'], 'BASE_TYPE_REQUIRED', 'This field is required');
  }
  const slots = SLOTS_BY_TIER[guild.settings.premium_tier] ?? 5;
  if (guild.stickers.size >= slots) throw limitReached(30039, 'stickers', slots);
  const mime = file.type in FORMAT_OF_MIME ? file.type : mimeOfFileName(file.name);
  const sticker: Sticker = {
    id: platform.world.nextId(),
    ...fields,
    type: 2,
    format_type: FORMAT_OF_MIME[mime] ?? 1,
    available: true,
    guild_id: guild.id,
    user_id: bot.id,
  };
  const base64 = Buffer.from(await file.arrayBuffer()).toString('base64');
  guild.stickers.set(sticker.id, sticker);
  platform.world.images.set(`stickers/${sticker.id}`, { mime, base64 });
  return c.json(presentSticker(platform.identities, sticker), 201);
};

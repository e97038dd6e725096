import { z } from 'zod';
import { type GuildAccess, openGuild } from './access.ts';
import { ApiError, limitReached, unknownEmoji } from './api-error.ts';
import type { Emoji, Guild, StoredImage } from './guild-state.ts';
import { parseDataUri } from './images.ts';
import { Permission } from './permissions.ts';
import type { Platform, PlatformApp, PlatformContext } from './platform.ts';
import { presentEmoji } from './present.ts';
import { readBody, snowflakeField } from './read-body.ts';

const MAX_IMAGE_BYTES = 256 * 1024;
const SLOTS_BY_TIER = [50, 100, 150, 250];

const nameField = z.string().regex(/^\w{2,32}$/, 'Must be between 2 and 32 in length.');
const rolesField = z.array(snowflakeField).nullish();
const newSchema = z.object({ name: nameField, image: z.string(), roles: rolesField });
const editSchema = z.object({ name: nameField.nullish(), roles: rolesField });

export const mountEmojiRoutes = (app: PlatformApp, platform: Platform) => {
  const { identities } = platform;
  app.get('/guilds/:guild/emojis', (c) => {
    const { guild } = openGuild(platform, c);
    return c.json([...guild.emojis.values()].map((emoji) => presentEmoji(identities, emoji)));
  });
  app.get('/guilds/:guild/emojis/:emoji', (c) =>
    c.json(presentEmoji(identities, findEmoji(openGuild(platform, c), c))),
  );
  app.post('/guilds/:guild/emojis', (c) => createEmoji(platform, c));
  app.patch('/guilds/:guild/emojis/:emoji', async (c) => {
    const emoji = findEmoji(openGuild(platform, c, Permission.ManageExpressions), c);
    const { name, roles } = await readBody(c, editSchema);
    emoji.name = name ?? emoji.name;
    if (roles !== undefined) emoji.roles = roles ?? [];
    return c.json(presentEmoji(identities, emoji));
  });
  app.delete('/guilds/:guild/emojis/:emoji', (c) => {
    const access = openGuild(platform, c, Permission.ManageExpressions);
    const emoji = findEmoji(access, c);
    access.guild.emojis.delete(emoji.id);
    platform.world.images.delete(`emojis/${emoji.id}`);
    return c.body(null, 204);
  });
};

const findEmoji = ({ guild }: GuildAccess, c: PlatformContext): Emoji => {
  const emoji = guild.emojis.get(c.req.param('emoji') ?? '');
  if (!emoji) throw unknownEmoji();
  return emoji;
};

const createEmoji = async (platform: Platform, c: PlatformContext) => {
  const { world, identities } = platform;
  const { guild, bot } = openGuild(platform, c, Permission.CreateExpressions);
  const { name, image, roles } = await readBody(c, newSchema);
  const picture = parseDataUri(image, 'image');
  demandSmall(picture);
  const emoji: Emoji = {
    id: world.nextId(),
    name,
    roles: roles ?? [],
    user_id: bot.id,
    require_colons: true,
    managed: false,
    animated: picture.mime === 'image/gif',
    available: true,
  };
  demandSlot(guild, emoji.animated);
  guild.emojis.set(emoji.id, emoji);
  world.images.set(`emojis/${emoji.id}`, picture);
  return c.json(presentEmoji(identities, emoji), 201);
};

const demandSmall = ({ base64 }: StoredImage) => {
  if (Buffer.byteLength(base64, 'base64') <= MAX_IMAGE_BYTES) return;
  throw new ApiError(400, 50138, 'Failed to resize asset below the maximum size: 262144');
};

/** Still and moving pictures have as many places each. */
const demandSlot = (guild: Guild, isAnimated: boolean) => {
  const slots = SLOTS_BY_TIER[guild.settings.premium_tier] ?? 50;
  let used = 0;
  for (const emoji of guild.emojis.values()) if (emoji.animated === isAnimated) used += 1;
  if (used >= slots) throw limitReached(isAnimated ? 30018 : 30008, 'emojis', slots);
};

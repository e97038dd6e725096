import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import type { Sound } from '../guild/community.ts';
import type { Guild, StoredImage } from '../guild/guild.ts';
import { hasPermission, Permission } from '../guild/permissions.ts';
import { presentUser } from '../guild/present.ts';
import { accessGuild, type GuildAccess, requirePermissions } from '../http/access.ts';
import { invalidField, limitReached, tooLarge, unknownSound } from '../http/api-error.ts';
import { readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';

const SLOTS_BY_TIER = [8, 24, 36, 48];
const MAX_SOUND_KB = 512;

const changesSchema = z.object({
  name: z.string().min(2).max(32).optional(),
  volume: z.number().min(0).max(1).nullish(),
  emoji_id: snowflakeField.nullish(),
  emoji_name: z.string().min(1).max(32).nullish(),
});

const newSchema = changesSchema.required({ name: true }).extend({ sound: z.string() });

export const mountSoundRoutes = (app: PlatformApp, platform: Platform) => {
  const path = '/guilds/:guild/soundboard-sounds';
  const find = (c: PlatformContext) => {
    const access = accessGuild(platform, c);
    const sound = access.guild.soundboard.get(c.req.param('sound') ?? '');
    if (!sound) throw unknownSound();
    return { ...access, sound };
  };
  app.get(path, (c) => {
    const access = accessGuild(platform, c);
    const items = [...access.guild.soundboard.values()].map((one) =>
      present(platform, access, one),
    );
    return c.json({ items });
  });
  app.get(`${path}/:sound`, (c) => {
    const { sound, ...access } = find(c);
    return c.json(present(platform, access, sound));
  });
  app.post(path, (c) => createSound(platform, c));
  app.patch(`${path}/:sound`, async (c) => {
    const { sound, ...access } = find(c);
    requireManaged(access, sound);
    const changes = await readBody(c, changesSchema);
    const watched = watch(access.guild, ['soundboard', sound.sound_id]);
    applyChanges(sound, changes);
    announce(platform, byCaller(c), watched);
    return c.json(present(platform, access, sound));
  });
  app.delete(`${path}/:sound`, (c) => {
    const { sound, ...access } = find(c);
    requireManaged(access, sound);
    const watched = watch(access.guild, ['soundboard', sound.sound_id]);
    access.guild.soundboard.delete(sound.sound_id);
    announce(platform, byCaller(c), watched);
    platform.world.images.delete(soundKey(sound.sound_id));
    return c.body(null, 204);
  });
};

const soundKey = (soundId: string) => `soundboard-sounds/${soundId}`;

const createSound = async (platform: Platform, c: PlatformContext) => {
  const access = accessGuild(platform, c, Permission.CreateExpressions);
  const { sound: uri, ...fields } = await readBody(c, newSchema);
  const bytes = parseSound(uri);
  if (Buffer.byteLength(bytes.base64, 'base64') > MAX_SOUND_KB * 1024) {
    throw tooLarge('sound', MAX_SOUND_KB);
  }
  requireSlot(access.guild);
  const sound: Sound = {
    sound_id: platform.world.nextId(),
    guild_id: access.guild.id,
    name: fields.name,
    volume: 1,
    emoji_id: null,
    emoji_name: null,
    available: true,
    user_id: access.bot.id,
  };
  applyChanges(sound, fields);
  const watched = watch(access.guild, ['soundboard', sound.sound_id]);
  access.guild.soundboard.set(sound.sound_id, sound);
  announce(platform, byCaller(c), watched);
  platform.world.images.set(soundKey(sound.sound_id), bytes);
  return c.json(present(platform, access, sound), 201);
};

const parseSound = (dataUri: string): StoredImage => {
  const [, mime, base64] =
    /^data:(audio\/[\w.+-]+);base64,([A-Za-z0-9+/=\s]+)$/.exec(dataUri) ?? [];
  if (mime && base64) return { mime, base64 };
  throw invalidField(['sound'], 'BASE_TYPE_BAD', 'Invalid sound data.');
};

const requireSlot = ({ settings, soundboard }: Guild) => {
  const slots = SLOTS_BY_TIER[settings.premium_tier] ?? 8;
  if (soundboard.size >= slots) throw limitReached(30045, 'soundboard sounds', slots);
};

/** An emoji is either one of the guild's or a character. */
const applyChanges = (sound: Sound, changes: z.output<typeof changesSchema>) => {
  const { name, volume, emoji_id, emoji_name } = changes;
  sound.name = name ?? sound.name;
  if (volume !== undefined) sound.volume = volume ?? 1;
  if (emoji_id === undefined && emoji_name === undefined) return;
  sound.emoji_id = emoji_id ?? null;
  sound.emoji_name = emoji_id ? null : (emoji_name ?? null);
};

const requireManaged = ({ bot, permissions }: GuildAccess, { user_id }: Sound) => {
  const isOwn = user_id === bot.id && hasPermission(permissions, Permission.CreateExpressions);
  if (!isOwn) requirePermissions(permissions, Permission.ManageExpressions);
};

/** Who uploaded it is shown to those who may upload or manage. */
const present = ({ identities }: Platform, { permissions }: GuildAccess, sound: Sound) => {
  const { user_id, ...fields } = sound;
  const mayKnow = [Permission.CreateExpressions, Permission.ManageExpressions].some((bit) =>
    hasPermission(permissions, bit),
  );
  return { ...fields, ...(user_id && mayKnow && { user: presentUser(identities, user_id) }) };
};

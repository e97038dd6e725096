import { z } from 'zod';
import { announce, byCaller, byNobody } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import type { Channel, Guild, Overwrite } from '../guild/guild.ts';
import { Permission } from '../guild/permissions.ts';
import { addChannel, removeChannel } from '../guild/world.ts';
import {
  accessChannel,
  accessGuild,
  type GuildAccess,
  requirePermissions,
} from '../http/access.ts';
import {
  invalidField,
  limitReached,
  requiredByCommunity,
  unknownChannel,
} from '../http/api-error.ts';
import { readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import {
  applyChannelFields,
  type ChannelChange,
  ChannelType,
  channelChangesSchema,
  newChannel,
  newChannelSchema,
  requireTypeAllowed,
} from './fields.ts';
import { changeChannel, copyOverwrites } from './following.ts';
import { requireOnboardingReadable, requireOverwritesAllowed } from './overwrites.ts';

const MAX_CHANNELS = 500;
const MAX_CHANNELS_PER_CATEGORY = 50;

const positionsSchema = z.array(
  z.object({
    id: snowflakeField,
    position: z.int().min(0).nullish(),
    parent_id: snowflakeField.nullish(),
    lock_permissions: z.boolean().nullish(),
  }),
);

export const mountChannelRoutes = (app: PlatformApp, platform: Platform) => {
  app.get('/guilds/:guild/channels', (c) =>
    c.json([...accessGuild(platform, c).guild.channels.values()]),
  );
  app.post('/guilds/:guild/channels', (c) => createChannel(platform, c));
  app.patch('/guilds/:guild/channels', (c) => moveChannels(platform, c));
  app.get('/channels/:channel', (c) => c.json(accessChannel(platform, c).channel));
  app.patch('/channels/:channel', (c) => editChannel(platform, c));
  app.delete('/channels/:channel', (c) => {
    const { guild, channel } = accessChannel(platform, c, Permission.ManageChannels);
    if (isRequiredByCommunity(guild, channel.id)) throw requiredByCommunity();
    // What pointed at the channel is changed with it, but not by anybody.
    const [watched, alongside] = [watch(guild, 'channels'), watch(guild, 'settings', 'events')];
    removeChannel(platform.world, guild, channel.id);
    announce(platform, byCaller(c), watched);
    announce(platform, byNobody(c), alongside);
    return c.json(channel);
  });
};

const createChannel = async (platform: Platform, c: PlatformContext) => {
  const access = accessGuild(platform, c, Permission.ManageChannels);
  const { guild } = access;
  const fields = await readBody(c, newChannelSchema);
  if (guild.channels.size >= MAX_CHANNELS) {
    throw limitReached(30013, 'guild channels', MAX_CHANNELS);
  }
  const type = fields.type ?? ChannelType.Text;
  requireTypeAllowed(guild, type);
  const channel = newChannel(platform.world.nextId(), guild.id, type, fields.name);
  channel.position = nextPosition(guild, type);
  setParent(guild, channel, fields.parent_id);
  channel.permission_overwrites = initialOverwrites(platform, access, channel, fields);
  applyChannelFields(guild, channel, fields, platform.world.nextId);
  const watched = watch(guild, ['channels', channel.id]);
  addChannel(platform.world, guild, channel);
  announce(platform, byCaller(c), watched);
  return c.json(channel, 201);
};

const editChannel = async (platform: Platform, c: PlatformContext) => {
  const access = accessChannel(platform, c, Permission.ManageChannels);
  const { guild, channel } = access;
  const change = await readBody(c, channelChangesSchema);
  // Applied to a copy first, so that a refused request changes nothing.
  const edited = { ...channel };
  convertType(guild, edited, change);
  if (change.parent_id !== undefined) setParent(guild, edited, change.parent_id);
  const overwrites = change.permission_overwrites;
  if (overwrites) {
    requirePermissions(access.permissions, Permission.ManageRoles);
    requireOverwritesAllowed(access, channel.permission_overwrites, overwrites);
    requireOnboardingReadable(guild, channel, overwrites);
    edited.permission_overwrites = uniqueById(overwrites);
  }
  applyChannelFields(guild, edited, change, platform.world.nextId);
  changeChannel(platform, c, guild, channel, edited);
  return c.json(channel);
};

/** A channel created in a category without overwrites of its own, or with none, copies the category's. */
const initialOverwrites = (
  { world }: Platform,
  access: GuildAccess,
  channel: Channel,
  { permission_overwrites }: ChannelChange,
): Overwrite[] => {
  const copiesNone = world.permissionSync.isOn && permission_overwrites?.length === 0;
  if (!permission_overwrites || copiesNone) {
    return copyParentOverwrites(access.guild, channel) ?? [];
  }
  requireOverwritesAllowed(access, [], permission_overwrites);
  return uniqueById(permission_overwrites);
};

const uniqueById = (overwrites: Overwrite[]): Overwrite[] => [
  ...new Map(overwrites.map((overwrite) => [overwrite.id, overwrite])).values(),
];

/** Only text and announcement channels can be converted into each other. */
const convertType = (guild: Guild, channel: Channel, { type }: ChannelChange) => {
  if (type == null || type === channel.type) return;
  const convertible: number[] = [ChannelType.Text, ChannelType.Announcement];
  if (!convertible.includes(type) || !convertible.includes(channel.type)) {
    throw invalidField(['type'], 'BASE_TYPE_CHOICES', 'This channel cannot become that type.');
  }
  requireTypeAllowed(guild, type);
  channel.type = type;
};

const setParent = (guild: Guild, channel: Channel, parentId: string | null | undefined) => {
  if (parentId && parentId !== channel.parent_id) requireParent(guild, channel, parentId);
  channel.parent_id = parentId ?? null;
};

const requireParent = (guild: Guild, channel: Channel, parentId: string) => {
  const parent = guild.channels.get(parentId);
  if (!parent) {
    throw invalidField(['parent_id'], 'CHANNEL_PARENT_INVALID', 'Category does not exist');
  }
  if (parent.type !== ChannelType.Category || channel.type === ChannelType.Category) {
    throw invalidField(['parent_id'], 'CHANNEL_PARENT_INVALID_TYPE', 'Not a category');
  }
  let children = 0;
  for (const other of guild.channels.values()) if (other.parent_id === parentId) children += 1;
  if (children >= MAX_CHANNELS_PER_CATEGORY) {
    const message = `Maximum number of channels in category reached (${MAX_CHANNELS_PER_CATEGORY})`;
    throw invalidField(['parent_id'], 'CHANNEL_PARENT_MAX_CHANNELS', message);
  }
};

const moveChannels = async (platform: Platform, c: PlatformContext) => {
  const { guild } = accessGuild(platform, c, Permission.ManageChannels);
  const moves = (await readBody(c, positionsSchema)).map((entry) => {
    const channel = guild.channels.get(entry.id);
    if (!channel) throw unknownChannel();
    return { entry, channel };
  });
  const reparented = moves.filter(
    ({ entry, channel }) => entry.parent_id !== undefined && entry.parent_id !== channel.parent_id,
  );
  if (reparented.length > 1) {
    const message = 'Only one channel can change its parent at a time.';
    throw invalidField(['parent_id'], 'GUILD_CHANNELS_PARENT_CHANGE_LIMIT', message);
  }
  const watched = watch(guild, 'channels');
  for (const { entry, channel } of reparented) {
    setParent(guild, channel, entry.parent_id);
    const overwrites = entry.lock_permissions && copyParentOverwrites(guild, channel);
    if (overwrites) channel.permission_overwrites = overwrites;
  }
  for (const { entry, channel } of moves) channel.position = entry.position ?? channel.position;
  announce(platform, byCaller(c), watched);
  return c.body(null, 204);
};

const copyParentOverwrites = ({ channels }: Guild, { parent_id }: Channel) => {
  const parent = channels.get(parent_id ?? '');
  return parent && copyOverwrites(parent);
};

/** Categories, voice channels and all others are numbered separately. */
const nextPosition = (guild: Guild, type: number): number => {
  let next = 0;
  for (const channel of guild.channels.values()) {
    if (positionGroup(channel.type) === positionGroup(type)) {
      next = Math.max(next, channel.position + 1);
    }
  }
  return next;
};

const positionGroup = (type: number): string => {
  if (type === ChannelType.Category) return 'category';
  return type === ChannelType.Voice || type === ChannelType.Stage ? 'voice' : 'text';
};

const isRequiredByCommunity = ({ settings }: Guild, channelId: string): boolean =>
  settings.features.includes('COMMUNITY') &&
  (settings.rules_channel_id === channelId || settings.public_updates_channel_id === channelId);

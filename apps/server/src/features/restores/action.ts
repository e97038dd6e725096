import { z } from 'zod';
import { channel, overwrite, role, sticker } from '../../platform/guild.ts';
import { sectionEntries, snapshotSettings } from '../backups/snapshot.ts';

/**
 * What one step of a restore does: exactly one call to the platform. It is kept in a journal and read
 * back after a crash, so it is plain data. When it is written, the ids that the platform will give are
 * not known yet: a thing of the backup is named by the id it had there, a thing of the target by the
 * id it has now.
 */

const id = z.string();
const ref = z.union([z.object({ backup: id }), z.object({ present: id })]);

const roleWish = role.omit({
  id: true,
  isManaged: true,
  botId: true,
  position: true,
  iconHash: true,
});

const channelWish = channel.omit({ id: true, tags: true }).extend({
  tags: z.array(channel.shape.tags.element.omit({ id: true })),
});

/** Which channels serve the server as a whole. */
export const channelSettings = [
  'afkChannelId',
  'systemChannelId',
  'rulesChannelId',
  'publicUpdatesChannelId',
  'safetyAlertsChannelId',
] as const;
export type ChannelSetting = (typeof channelSettings)[number];

const plainSettings = snapshotSettings.omit({
  iconHash: true,
  splashHash: true,
  discoverySplashHash: true,
  bannerHash: true,
  pictures: true,
  afkChannelId: true,
  systemChannelId: true,
  rulesChannelId: true,
  publicUpdatesChannelId: true,
  safetyAlertsChannelId: true,
});

const storedImage = sectionEntries.emojis.shape.image.unwrap();
const settingRef = ref.nullable().optional();
const settingPicture = storedImage.nullable().optional();

export const action = z.discriminatedUnion('do', [
  /** Always without permissions: they come when everything else stands. */
  z.object({ do: z.literal('createRole'), oldId: id, wish: roleWish.omit({ permissions: true }) }),
  z.object({ do: z.literal('editRole'), role: ref, changes: roleWish.partial() }),
  /** Lowest first, all of them above @everyone. */
  z.object({ do: z.literal('placeRoles'), order: z.array(ref) }),
  z.object({ do: z.literal('deleteRole'), roleId: id }),

  /** Parent, roles of overwrites and emojis are named by their ids in the backup. */
  z.object({ do: z.literal('createChannel'), oldId: id, wish: channelWish }),
  z.object({
    do: z.literal('setOverwrites'),
    channel: ref,
    purpose: z.enum(['shield', 'reveal']),
    overwrites: z.array(overwrite),
    /** Where the channel has some: the platform takes them only of a channel that stands. */
    flags: z.number().int().optional(),
  }),
  z.object({
    do: z.literal('placeChannels'),
    places: z.array(z.object({ oldId: id, position: z.number().int() })),
  }),
  z.object({ do: z.literal('deleteChannel'), channelId: id }),

  z.object({
    do: z.literal('editSettings'),
    changes: plainSettings.partial(),
    channels: z.object({
      afkChannelId: settingRef,
      systemChannelId: settingRef,
      rulesChannelId: settingRef,
      publicUpdatesChannelId: settingRef,
      safetyAlertsChannelId: settingRef,
    }),
    pictures: z.object({
      icon: settingPicture,
      splash: settingPicture,
      discoverySplash: settingPicture,
      banner: settingPicture,
    }),
  }),

  z.object({
    do: z.literal('createEmoji'),
    oldId: id,
    name: z.string(),
    isAnimated: z.boolean(),
    image: storedImage,
    roleIds: z.array(id),
  }),
  z.object({
    do: z.literal('editEmoji'),
    emojiId: id,
    name: z.string().optional(),
    roleIds: z.array(id).optional(),
  }),
  z.object({ do: z.literal('deleteEmoji'), emojiId: id }),
  z.object({
    do: z.literal('createSticker'),
    oldId: id,
    wish: sticker.pick({ name: true, description: true, tags: true }),
    image: storedImage,
  }),
  z.object({
    do: z.literal('editSticker'),
    stickerId: id,
    changes: sticker.pick({ name: true, description: true, tags: true }).partial(),
  }),
  z.object({ do: z.literal('deleteSticker'), stickerId: id }),

  z.object({ do: z.literal('ban'), userId: id, reason: z.string().nullable() }),
  z.object({ do: z.literal('unban'), userId: id }),
  z.object({
    do: z.literal('editMember'),
    userId: id,
    nick: z.string().nullable().optional(),
    roles: z.array(ref).optional(),
  }),
]);

export type Action = z.output<typeof action>;
export type ActionOf<Kind extends Action['do']> = Extract<Action, { do: Kind }>;
export type Ref = z.output<typeof ref>;
export type PlannedChannel = ActionOf<'createChannel'>['wish'];

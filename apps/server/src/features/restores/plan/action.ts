import { z } from 'zod';
import { channel, guildSettings, overwrite, role, sticker } from '../../../platform/guild.ts';
import { settingsPictures } from '../../backups/snapshot/snapshot.ts';
import { call, id, ref, storedImage } from './action-shapes.ts';
import { partActions } from './parts/part-actions.ts';

/**
 * What one step of a restore does: exactly one call to the platform. It is stored in the journal and
 * read back after a crash, so it is plain data, and its field names are a stored format. When it is
 * written, the ids that the platform will give are not known yet. So a thing of the backup is named by
 * the id it had there (`oldId`, `backup`), a thing of the target by the id it has now (`present`).
 */

const roleFields = role.omit({
  id: true,
  isManaged: true,
  botId: true,
  isOfBoosters: true,
  isLinked: true,
  position: true,
  iconHash: true,
});

const channelFields = channel.omit({ id: true, tags: true }).extend({
  tags: z.array(channel.shape.tags.element.omit({ id: true })),
});

const channelChanges = channelFields.omit({ position: true }).extend({
  tags: z.array(channel.shape.tags.element.partial({ id: true })),
});

/** The settings that name a channel. */
export const channelSettings = [
  'afkChannelId',
  'systemChannelId',
  'rulesChannelId',
  'publicUpdatesChannelId',
  'safetyAlertsChannelId',
] as const;
export type ChannelSetting = (typeof channelSettings)[number];

const settingFields = guildSettings.omit({
  iconHash: true,
  splashHash: true,
  discoverySplashHash: true,
  bannerHash: true,
  afkChannelId: true,
  systemChannelId: true,
  rulesChannelId: true,
  publicUpdatesChannelId: true,
  safetyAlertsChannelId: true,
});

/** The settings that are copied as they are; the planner and the verification agree on this list. */
export const plainSettings = settingFields.keyof().exclude(['features']).options;
/** The same for the fields of a role beside its permissions. */
export const appearanceFields = roleFields.keyof().exclude(['permissions']).options;

const stickerFields = sticker.pick({ name: true, description: true, tags: true });
const roleIds = z.array(id);
/** Of a category: the channels of it that shall not follow it. */
const apart = z.array(ref).optional();

export const action = z.discriminatedUnion('do', [
  /** Always without permissions: a later step gives them, when everything else stands. */
  call('createRole', { oldId: id, wish: roleFields.omit({ permissions: true }) }),
  call('editRole', { role: ref, changes: roleFields.partial() }),
  /** Lowest first, all of them above @everyone. */
  call('placeRoles', { order: z.array(ref) }),
  call('deleteRole', { roleId: id }),

  /** Parent, roles of overwrites and emojis are named by their ids in the backup. */
  call('createChannel', { oldId: id, wish: channelFields }),
  /** Only what differs; ids are those of the backup, and tags that are there keep their own. */
  call('editChannel', { channel: ref, changes: channelChanges.partial(), apart }),
  call('setOverwrites', {
    channel: ref,
    apart,
    purpose: z.enum(['shield', 'reveal', 'keep']),
    overwrites: z.array(overwrite),
    /** Where the channel has some: the platform takes them only in an edit. */
    flags: z.number().int().optional(),
  }),
  call('placeChannels', { places: z.array(z.object({ oldId: id, position: z.number().int() })) }),
  call('deleteChannel', { channelId: id }),

  call('editSettings', {
    changes: settingFields.partial(),
    channels: z.partialRecord(z.enum(channelSettings), ref.nullable()),
    pictures: z.partialRecord(z.enum(settingsPictures), storedImage.nullable()),
  }),

  call('createEmoji', {
    ...{ oldId: id, name: z.string(), isAnimated: z.boolean(), image: storedImage, roleIds },
  }),
  call('editEmoji', { emojiId: id, name: z.string().optional(), roleIds: roleIds.optional() }),
  call('deleteEmoji', { emojiId: id }),
  call('createSticker', { oldId: id, wish: stickerFields, image: storedImage }),
  call('editSticker', { stickerId: id, changes: stickerFields.partial() }),
  call('deleteSticker', { stickerId: id }),

  call('ban', { userId: id, reason: z.string().nullable() }),
  call('unban', { userId: id }),
  call('editMember', {
    userId: id,
    nick: z.string().nullable().optional(),
    timedOutUntil: z.string().nullable().optional(),
    roles: z.array(ref).optional(),
  }),

  ...partActions,
]);

export type Action = z.output<typeof action>;
export type ActionOf<Kind extends Action['do']> = Extract<Action, { do: Kind }>;
/** The actions about what surrounds channels and roles. */
export type PartAction = z.output<(typeof partActions)[number]>;

const partActionNames: ReadonlySet<string> = new Set(
  partActions.map(({ shape }) => shape.do.value),
);
export const isPartAction = (given: Action): given is PartAction => partActionNames.has(given.do);

export type Ref = z.output<typeof ref>;
export type NewChannel = ActionOf<'createChannel'>['wish'];
/** What a step, and a loss, is about. */
export type SubjectType =
  | 'role'
  | 'channel'
  | 'emoji'
  | 'sticker'
  | 'ban'
  | 'member'
  | 'settings'
  | 'automod'
  | 'onboarding'
  | 'welcomeScreen'
  | 'event'
  | 'sound'
  | 'webhook';

import type { Channel, Overwrite } from '../../../platform/guild.ts';
import type { ChannelInput, RoleInput } from '../../../platform/port.ts';
import type { RestoredSort } from '../../servers/table.ts';
import type { Action, ActionOf, NewChannel, Ref } from './action.ts';

type Ids = Record<string, string>;

/**
 * From ids in the backup to ids in the target. Each sort of thing has its own map: in old guilds the
 * first channel and @everyone have the same id as the guild itself.
 */
export type IdMap = Record<RestoredSort, Ids> & {
  /** Channels of the target that are taken for those of the backup where channels are not restored. */
  standIns?: Ids;
};

export const emptyIdMap = (): IdMap => ({
  ...{ roles: {}, channels: {}, emojis: {}, stickers: {} },
  ...{ automod: {}, events: {}, soundboard: {}, webhooks: {} },
});

/** The map after a step was done; steps that create nothing leave it as it is. */
export const recordCreated = (map: IdMap, action: Action, createdId: string | undefined): IdMap => {
  const sort = sortCreatedBy(action);
  if (createdId === undefined || !sort || !('oldId' in action)) return map;
  return { ...map, [sort]: { ...map[sort], [action.oldId]: createdId } };
};

/** The same, in place: with hundreds of steps, copies of a map of hundreds of ids are slow. */
export const addCreated = (map: IdMap, action: Action, createdId: string | undefined): void => {
  const sort = sortCreatedBy(action);
  if (createdId === undefined || !sort || !('oldId' in action)) return;
  map[sort][action.oldId] = createdId;
};

const sorts: Partial<Record<Action['do'], RestoredSort>> = {
  createRole: 'roles',
  createChannel: 'channels',
  createEmoji: 'emojis',
  createSticker: 'stickers',
  createAutomodRule: 'automod',
  createEvent: 'events',
  createSound: 'soundboard',
  createWebhook: 'webhooks',
};

/** Undefined for actions that create nothing. */
export const sortCreatedBy = (action: Action) => sorts[action.do];

/** Undefined where the thing was never created. */
export const resolveRef = (ids: Ids, ref: Ref): string | undefined =>
  'present' in ref ? ref.present : ids[ref.backup];

export const resolveChannel = (channel: NewChannel, map: IdMap): ChannelInput => ({
  ...channel,
  parentId: channel.parentId === null ? null : (map.channels[channel.parentId] ?? null),
  overwrites: resolveOverwrites(channel.overwrites, map),
  tags: channel.tags.map((tag) => ({ ...tag, emojiId: resolveEmoji(tag.emojiId, map) })),
  defaultReaction: resolveReaction(channel.defaultReaction, map),
});

/** A category that could not be created is left out: the channel then stays where it is. */
export const resolveChanges = (
  { parentId, overwrites, tags, defaultReaction, ...plain }: ActionOf<'editChannel'>['changes'],
  map: IdMap,
): Partial<ChannelInput> => {
  const parent = parentId ? map.channels[parentId] : parentId;
  return {
    ...plain,
    ...(parent === undefined ? {} : { parentId: parent }),
    ...(overwrites ? { overwrites: resolveOverwrites(overwrites, map) } : {}),
    ...(tags
      ? { tags: tags.map((tag) => ({ ...tag, emojiId: resolveEmoji(tag.emojiId, map) })) }
      : {}),
    ...(defaultReaction === undefined
      ? {}
      : { defaultReaction: resolveReaction(defaultReaction, map) }),
  };
};

/** Overwrites of a role that the target lacks are left out: no member holds that role. */
export const resolveOverwrites = (overwrites: Overwrite[], map: IdMap): Overwrite[] =>
  overwrites.flatMap((overwrite) => {
    const id = overwrite.kind === 'member' ? overwrite.id : map.roles[overwrite.id];
    return id === undefined ? [] : [{ ...overwrite, id }];
  });

export const resolveEmoji = (emojiId: string | null, map: IdMap): string | null =>
  emojiId === null ? null : (map.emojis[emojiId] ?? null);

export const resolveReaction = (
  reaction: Channel['defaultReaction'],
  map: IdMap,
): Channel['defaultReaction'] => {
  const emojiId = resolveEmoji(reaction?.emojiId ?? null, map);
  const emojiName = reaction?.emojiName ?? null;
  return emojiId === null && emojiName === null ? null : { emojiId, emojiName };
};

export const resolveRoles = (roleIds: string[], map: IdMap): string[] =>
  roleIds.flatMap((id) => map.roles[id] ?? []);

/** Without a value the platform gives a new role the permissions of @everyone. */
export const newRole = ({ wish }: ActionOf<'createRole'>): RoleInput => ({
  ...wish,
  permissions: '0',
});

import { PlatformFailure } from '../../platform/failures.ts';
import type { GuildPlatform, Image, SettingsChanges } from '../../platform/port.ts';
import type { StoredImage } from '../backups/snapshot.ts';
import { type Action, type ActionOf, channelSettings, type Ref } from './action.ts';
import { type IdMap, resolveRef } from './id-map.ts';
import { newRoleWish, resolveChannel, resolveOverwrites, resolveRoles } from './resolve.ts';

/** The part of the platform that a restore writes to. */
export type RestoreGuild = Pick<
  GuildPlatform,
  | 'editSettings'
  | 'createRole'
  | 'editRole'
  | 'placeRoles'
  | 'deleteRole'
  | 'createChannel'
  | 'editChannel'
  | 'placeChannels'
  | 'deleteChannel'
  | 'createEmoji'
  | 'editEmoji'
  | 'deleteEmoji'
  | 'createSticker'
  | 'editSticker'
  | 'deleteSticker'
  | 'ban'
  | 'unban'
  | 'editMember'
>;

export type LoadImage = (image: NonNullable<StoredImage>) => Promise<Image>;

/** A step that builds upon something which another step failed to make. */
export class MissingPart extends Error {
  constructor(what: string) {
    super(`The ${what} it concerns was not made`);
    this.name = 'MissingPart';
  }
}

type Work = { guild: RestoreGuild; map: IdMap; loadImage: LoadImage };

/** Exactly one call. What was to be taken away and is gone already counts as done. */
export const runStep = async (
  guild: RestoreGuild,
  action: Action,
  map: IdMap,
  loadImage: LoadImage,
): Promise<{ createdId?: string }> => {
  const work = { guild, map, loadImage };
  const createdId = await createThing(work, action);
  if (createdId !== undefined) return { createdId };
  try {
    await changeThing(work, action);
  } catch (error) {
    if (!isGoneAlready(action, error)) throw error;
  }
  return {};
};

const createThing = async (
  { guild, map, loadImage }: Work,
  action: Action,
): Promise<string | undefined> => {
  switch (action.do) {
    case 'createRole':
      return (await guild.createRole(newRoleWish(action))).id;
    case 'createChannel':
      return (await guild.createChannel(resolveChannel(action.wish, map))).id;
    case 'createEmoji': {
      const image = await loadImage(action.image);
      const roleIds = resolveRoles(action.roleIds, map);
      return (await guild.createEmoji({ name: action.name, image, roleIds })).id;
    }
    case 'createSticker': {
      const image = await loadImage(action.image);
      return (await guild.createSticker({ ...action.wish, image })).id;
    }
    default:
      return undefined;
  }
};

const changeThing = async (work: Work, action: Action): Promise<unknown> => {
  const { guild, map } = work;
  switch (action.do) {
    case 'editRole':
      return guild.editRole(demand(map.roles, action.role, 'role'), action.changes);
    case 'placeRoles':
      return guild.placeRoles(
        positions(action.order.flatMap((ref) => resolveRef(map.roles, ref) ?? [])),
      );
    case 'deleteRole':
      return guild.deleteRole(action.roleId);
    case 'setOverwrites':
      return setOverwrites(work, action);
    case 'placeChannels':
      return guild.placeChannels(
        action.places.flatMap(({ oldId, position }) => {
          const id = map.channels[oldId];
          return id === undefined ? [] : [{ id, position }];
        }),
      );
    case 'deleteChannel':
      return guild.deleteChannel(action.channelId);
    case 'editSettings':
      return guild.editSettings(await settingsChanges(work, action));
    default:
      return changeExpressionOrPerson(work, action);
  }
};

const changeExpressionOrPerson = async ({ guild, map }: Work, action: Action): Promise<unknown> => {
  switch (action.do) {
    case 'editEmoji': {
      const { name, roleIds } = action;
      return guild.editEmoji(action.emojiId, {
        ...(name === undefined ? {} : { name }),
        ...(roleIds ? { roleIds: resolveRoles(roleIds, map) } : {}),
      });
    }
    case 'deleteEmoji':
      return guild.deleteEmoji(action.emojiId);
    case 'editSticker':
      return guild.editSticker(action.stickerId, action.changes);
    case 'deleteSticker':
      return guild.deleteSticker(action.stickerId);
    case 'ban':
      return guild.ban(action.userId, action.reason);
    case 'unban':
      return guild.unban(action.userId);
    case 'editMember':
      return guild.editMember(action.userId, memberChanges(map, action));
    default:
      throw new Error(`A restore does not know how to ${action.do}`);
  }
};

const demand = (known: Record<string, string>, ref: Ref, what: string): string => {
  const id = resolveRef(known, ref);
  if (id === undefined) throw new MissingPart(what);
  return id;
};

/** Everyone's place is 0; without gaps, so that none ends above the bot. */
const positions = (ids: string[]) => ids.map((id, index) => ({ id, position: index + 1 }));

const setOverwrites = (
  { guild, map }: Work,
  { channel, overwrites, flags }: ActionOf<'setOverwrites'>,
) =>
  guild.editChannel(demand(map.channels, channel, 'channel'), {
    overwrites: 'backup' in channel ? resolveOverwrites(overwrites, map) : overwrites,
    ...(flags === undefined ? {} : { flags }),
  });

const memberChanges = (map: IdMap, { nick, roles }: ActionOf<'editMember'>) => ({
  ...(nick === undefined ? {} : { nick }),
  ...(roles ? { roleIds: roles.flatMap((ref) => resolveRef(map.roles, ref) ?? []) } : {}),
});

const settingsChanges = async (
  { map, loadImage }: Work,
  { changes, channels, pictures }: ActionOf<'editSettings'>,
): Promise<SettingsChanges> => {
  const all: SettingsChanges = { ...changes };
  for (const setting of channelSettings) {
    const ref = channels[setting];
    // A channel that could not be made leaves the setting as it is: the old channel then stays as well.
    const id = ref ? resolveRef(map.channels, ref) : ref;
    if (id !== undefined) all[setting] = id;
  }
  for (const picture of ['icon', 'splash', 'discoverySplash', 'banner'] as const) {
    const stored = pictures[picture];
    if (stored !== undefined) all[picture] = stored && (await loadImage(stored));
  }
  return all;
};

const isGoneAlready = (action: Action, error: unknown): boolean => {
  if (!(error instanceof PlatformFailure) || error.kind === 'unknownGuild') return false;
  const isTakenAway = action.do.startsWith('delete') || action.do === 'unban';
  const isShield = action.do === 'setOverwrites' && action.purpose === 'shield';
  // Who left meanwhile has no roles to be given.
  return error.status === 404 && (isTakenAway || isShield || action.do === 'editMember');
};

import { PlatformFailure } from '../../../platform/failures.ts';
import type { LinkMessagePlatform } from '../../../platform/link-message.ts';
import type { GuildPlatform, Image } from '../../../platform/port.ts';
import type { StoredImage } from '../../backups/snapshot/snapshot.ts';
import {
  type Action,
  type ActionOf,
  isPartAction,
  type PartAction,
  type Ref,
} from '../plan/action.ts';
import {
  type IdMap,
  newRole,
  resolveChanges,
  resolveChannel,
  resolveOverwrites,
  resolveRef,
  resolveRoles,
} from '../plan/id-map.ts';
import { editMember, type KeepGivable } from './edit-member.ts';
import { editSettings } from './edit-settings.ts';
import { runPart } from './run-part.ts';
import { DependencyMissing, type StepFailure } from './step-failure.ts';

type OtherCall =
  | `read${string}`
  | `${string}Invite${string}`
  | 'giveRole'
  | 'giveRoles'
  | 'kick'
  | 'banMany'
  | 'addMember'
  | 'setOverwrite'
  | 'giveOverwrite'
  | 'sendMessage'
  | keyof LinkMessagePlatform;
/** The calls of the platform by which a restore changes a guild. */
export type RestoreGuild = Pick<
  GuildPlatform,
  Exclude<keyof GuildPlatform, OtherCall> | 'deleteInvite'
>;

export type LoadImage = (image: NonNullable<StoredImage>) => Promise<Image>;

export type StepResult = { createdId?: string; failure?: StepFailure };

type SeveralCalls = { do: 'editSettings' | 'editMember' };
type StepContext = { guild: RestoreGuild; map: IdMap; loadImage: LoadImage };

/**
 * Makes exactly one call, for settings and members perhaps more (`edit-settings.ts`, `edit-member.ts`). What
 * was to be deleted and is gone already counts as done.
 */
export const runStep = async (
  guild: RestoreGuild,
  action: Action,
  map: IdMap,
  loadImage: LoadImage,
  keep?: KeepGivable,
): Promise<StepResult> => {
  const context = { guild, map, loadImage };
  try {
    if (action.do === 'editSettings') return await editSettings(context, action);
    if (action.do === 'editMember') return await editMember({ ...context, keep }, action);
    const created = await call(context, action);
    return created ? { createdId: created.id } : {};
  } catch (error) {
    if (isClosedToBots(action, error)) return { failure: { code: 'closedToBots' } };
    if (!isGoneAlready(action, error)) throw error;
    return {};
  }
};

/** The platform's code for what only people may do. */
const onlyForPeople = 20001;

/** Some guilds let no bot set their onboarding: it is nobody's failure, and the owner is told. */
const isClosedToBots = (action: Action, error: unknown): boolean =>
  action.do === 'setOnboarding' && error instanceof PlatformFailure && error.code === onlyForPeople;

/** Returns what was created; undefined for other actions. */
const call = async (
  context: StepContext,
  action: Exclude<Action, SeveralCalls>,
): Promise<{ id: string } | undefined> => {
  const { guild, map, loadImage } = context;
  if (isPartAction(action)) return runPart(context, action);
  switch (action.do) {
    case 'createRole':
      return guild.createRole(newRole(action));
    case 'createChannel':
      return guild.createChannel(resolveChannel(action.wish, map));
    case 'createEmoji': {
      const image = await loadImage(action.image);
      const roleIds = resolveRoles(action.roleIds, map);
      return guild.createEmoji({ name: action.name, image, roleIds });
    }
    case 'createSticker':
      return guild.createSticker({ ...action.wish, image: await loadImage(action.image) });
    default:
      await change(context, action);
      return undefined;
  }
};

type Change = Exclude<Action, { oldId: string } | SeveralCalls | PartAction>;

const change = async (context: StepContext, action: Change): Promise<unknown> => {
  const { guild, map } = context;
  switch (action.do) {
    case 'editRole':
      return guild.editRole(requireId(map.roles, action.role, 'role'), action.changes);
    case 'placeRoles':
      return guild.placeRoles(
        positions(action.order.flatMap((ref) => resolveRef(map.roles, ref) ?? [])),
      );
    case 'deleteRole':
      return guild.deleteRole(action.roleId);
    case 'editChannel': {
      const channelId = requireId(map.channels, action.channel, 'channel');
      return guild.editChannel(channelId, resolveChanges(action.changes, map));
    }
    case 'setOverwrites':
      return setOverwrites(context, action);
    case 'placeChannels':
      return guild.placeChannels(
        action.places.flatMap(({ oldId, position }) => {
          const id = map.channels[oldId];
          return id === undefined ? [] : [{ id, position }];
        }),
      );
    case 'deleteChannel':
      return guild.deleteChannel(action.channelId);
    case 'editEmoji': {
      const { emojiId, name, roleIds } = action;
      return guild.editEmoji(emojiId, {
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
  }
};

const requireId = (ids: Record<string, string>, ref: Ref, what: string): string => {
  const id = resolveRef(ids, ref);
  if (id === undefined) throw new DependencyMissing(what);
  return id;
};

/** The place of @everyone is 0. Without gaps, so that no role ends above the bot. */
const positions = (ids: string[]) => ids.map((id, index) => ({ id, position: index + 1 }));

const setOverwrites = (
  { guild, map }: StepContext,
  { channel, overwrites, flags }: ActionOf<'setOverwrites'>,
) =>
  guild.editChannel(requireId(map.channels, channel, 'channel'), {
    overwrites: 'backup' in channel ? resolveOverwrites(overwrites, map) : overwrites,
    ...(flags === undefined ? {} : { flags }),
  });

const isGoneAlready = (action: Action, error: unknown): boolean => {
  if (!(error instanceof PlatformFailure) || error.kind === 'unknownGuild') return false;
  // A member who has left meanwhile has no roles to be given. A role that is gone is another matter.
  const isMemberGone = error.kind === 'unknownMember' || error.kind === 'unknownUser';
  if (action.do === 'editMember') return isMemberGone;
  const isDeletion = action.do.startsWith('delete') || action.do === 'unban';
  const isOfOld = action.do === 'setOverwrites' && action.purpose !== 'reveal';
  return error.status === 404 && (isDeletion || isOfOld);
};

import type { Channel } from '../../../platform/guild.ts';
import { canManage } from './bot-permissions.ts';
import { byPosition } from './channel-kinds.ts';
import { resolveRef } from './id-map.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';

const MAX_CHILDREN = 50;

/**
 * The backup's channels, each in a category that has room for it. Children of a category that is full,
 * or missing from the backup, stand outside of it; those that are in it already keep their place.
 */
export const fitIntoCategories = (context: PlanContext): Channel[] => {
  const { savedChannels, lose } = context;
  const categories = savedChannels.filter(({ kind }) => kind === 'category');
  const room = new Map(categories.map(({ id }) => [id, MAX_CHILDREN - countGuests(context, id)]));
  const fit = (channel: Channel): Channel => {
    if (channel.parentId === null) return channel;
    const left = room.get(channel.parentId) ?? 0;
    if (left <= 0) {
      lose('channel', channel.name, { code: 'categoryFull' });
      return { ...channel, parentId: null };
    }
    room.set(channel.parentId, left - 1);
    return channel;
  };
  const sorted = [...savedChannels].sort(byPosition);
  const isInPlace = (channel: Channel) => isInItsCategory(context, channel);
  return [
    ...sorted.filter(isInPlace).map(fit),
    ...sorted.filter((channel) => !isInPlace(channel)).map(fit),
  ];
};

const isInItsCategory = ({ channelMatch }: PlanContext, { id, parentId }: Channel): boolean => {
  const category = channelMatch.get(parentId ?? '');
  return category !== undefined && channelMatch.get(id)?.parentId === category.id;
};

/** Channels that stay in a category of the backup, though they are not its children there. */
const countGuests = (context: PlanContext, categoryId: string): number => {
  const { current, channelMatch, savedChannels, bot } = context;
  const category = channelMatch.get(categoryId);
  if (!category) return 0;
  const children = new Set(
    savedChannels.filter(({ parentId }) => parentId === categoryId).map(({ id }) => id),
  );
  const ownIds = new Set(
    [...channelMatch].flatMap(([oldId, { id }]) => (children.has(oldId) ? [id] : [])),
  );
  const isGuest = (channel: Channel) =>
    channel.parentId === category.id &&
    !ownIds.has(channel.id) &&
    (context.stays(channel) || !canManage(bot, channel, current.guildId));
  return current.channels.filter(isGuest).length;
};

/**
 * Channels come into a category before others leave it. Where it has no room for all of them at once,
 * those that leave are moved out of it before.
 */
export const planRoom = (context: PlanContext, steps: DraftStep[]): DraftStep[] =>
  [...context.channelMatch].flatMap(([oldId, category]) => {
    const present = context.current.channels.filter(({ parentId }) => parentId === category.id);
    const coming = steps.filter((step) => newParentOf(step) === oldId).length;
    const excess = present.length + coming - MAX_CHILDREN;
    if (coming === 0 || excess <= 0) return [];
    const leaving = present.filter(({ id }) => steps.some((step) => takesOut(context, step, id)));
    return leaving.slice(0, excess).map(moveOut);
  });

const newParentOf = ({ action }: DraftStep): string | null | undefined => {
  if (action.do === 'createChannel') return action.wish.parentId;
  return action.do === 'editChannel' ? action.changes.parentId : undefined;
};

const takesOut = ({ idMap }: PlanContext, step: DraftStep, channelId: string): boolean => {
  const { action } = step;
  if (action.do === 'deleteChannel') return action.channelId === channelId;
  if (action.do !== 'editChannel' || newParentOf(step) === undefined) return false;
  return resolveRef(idMap.channels, action.channel) === channelId;
};

const moveOut = ({ id, name }: Channel): DraftStep =>
  draftStep({
    ...{ key: `move out ${id}`, stage: 'tighten', name },
    action: { do: 'editChannel', channel: { present: id }, changes: { parentId: null } },
  });

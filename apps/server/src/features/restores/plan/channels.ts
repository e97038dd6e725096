import type { Channel } from '../../../platform/guild.ts';
import { channelSettings } from './action.ts';
import { canManage } from './bot-permissions.ts';
import { byPosition, flagsToRestore, needsCommunity, sortingGroup } from './channel-kinds.ts';
import type { Community } from './community.ts';
import { fitUnderLimit } from './fit-under-limit.ts';
import type { LossReason } from './loss.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';
import { type TargetChannel, targetChannel } from './target-channel.ts';
import { isVisibleToEveryone } from './visibility.ts';

const MAX_CHANNELS = 500;
const MAX_CHILDREN = 50;

export const channelKey = (oldId: string) => `channel ${oldId}`;
export const emojiKey = (oldId: string) => `emoji ${oldId}`;
/** The step that points the guild's settings to new channels before the old ones are deleted. */
export const repointKey = 'early repoint';

/** Channels are always created anew, closed. The old ones are deleted when all new ones stand. */
export const planChannels = (context: PlanContext, community: Community): DraftStep[] => {
  const targets = fitIntoCategories(context)
    .map((channel) => targetChannel(context, community, channel))
    .sort(byCreation(context, community));
  for (const { wish, lost } of targets) {
    for (const reason of lost) context.lose('channel', wish.name, reason);
  }
  const { steps, left, overflow } = fitUnderLimit(
    targets.map((channel) => createStep(community, channel)),
    planDeletes(context, community),
    MAX_CHANNELS - context.current.channels.length,
  );
  for (const { name } of overflow) {
    context.lose('channel', name, { code: 'guildFull', of: 'channels' });
  }
  const reveals = targets.filter(({ isRevealed }) => isRevealed).map(revealStep);
  loseMissingRoles(context);
  return [...steps, ...planOrder(targets), ...reveals, ...left];
};

/** Children of a category that is full, or missing from the backup, stand outside of it. */
const fitIntoCategories = ({ savedChannels, lose }: PlanContext): Channel[] => {
  const room = new Map(
    savedChannels.filter(({ kind }) => kind === 'category').map(({ id }) => [id, MAX_CHILDREN]),
  );
  return [...savedChannels].sort(byPosition).map((channel) => {
    if (channel.parentId === null) return channel;
    const left = room.get(channel.parentId) ?? 0;
    if (left === 0) {
      lose('channel', channel.name, { code: 'categoryFull' });
      return { ...channel, parentId: null };
    }
    room.set(channel.parentId, left - 1);
    return channel;
  });
};

/**
 * First the channels a community cannot be without, with their categories, since others may have to
 * wait for them; then categories, then their children.
 */
const byCreation = ({ savedChannels }: PlanContext, { rules, updates }: Community) => {
  const firstIds = [rules, updates].flatMap((ref) => (ref && 'backup' in ref ? [ref.backup] : []));
  const parentIds = savedChannels
    .filter(({ id }) => firstIds.includes(id))
    .map(({ parentId }) => parentId);
  const rankOf = ({ oldId, wish }: TargetChannel): number => {
    if (parentIds.includes(oldId)) return 0;
    if (firstIds.includes(oldId)) return 1;
    if (wish.kind === 'category') return 2;
    return needsCommunity(wish) ? 4 : 3;
  };
  return (one: TargetChannel, other: TargetChannel): number =>
    rankOf(one) - rankOf(other) || byTargetPosition(one, other);
};

const byTargetPosition = (one: TargetChannel, other: TargetChannel): number =>
  byPosition(
    { id: one.oldId, position: one.wish.position },
    { id: other.oldId, position: other.wish.position },
  );

const createStep = (community: Community, { oldId, wish }: TargetChannel): DraftStep => {
  const emojiIds = [...wish.tags, ...(wish.defaultReaction ? [wish.defaultReaction] : [])]
    .map(({ emojiId }) => emojiId)
    .filter((id) => id !== null);
  return draftStep({
    key: channelKey(oldId),
    stage: community.becomes && needsCommunity(wish) ? 'buildCommunity' : 'build',
    after: [
      ...(wish.parentId === null ? [] : [channelKey(wish.parentId)]),
      ...emojiIds.map(emojiKey),
    ],
    name: wish.name,
    action: { do: 'createChannel', oldId, wish },
  });
};

const revealStep = ({ oldId, wish, finalOverwrites }: TargetChannel): DraftStep => {
  const flags = flagsToRestore(wish);
  return draftStep({
    key: `reveal ${oldId}`,
    stage: 'reveal',
    name: wish.name,
    action: {
      do: 'setOverwrites',
      channel: { backup: oldId },
      purpose: 'reveal',
      overwrites: finalOverwrites,
      ...(flags === 0 ? {} : { flags }),
    },
  });
};

const planOrder = (targets: TargetChannel[]): DraftStep[] => {
  if (targets.length < 2) return [];
  const places = (['category', 'text', 'voice'] as const).flatMap((group) =>
    targets
      .filter(({ wish }) => sortingGroup(wish) === group)
      .sort(byTargetPosition)
      .map(({ oldId }, position) => ({ oldId, position })),
  );
  const name = 'the order of the channels';
  return [draftStep({ key: name, stage: 'finish', name, action: { do: 'placeChannels', places } })];
};

/** Least needed first; the channels that settings name are the last. */
const planDeletes = (context: PlanContext, community: Community): DraftStep[] => {
  const { current, savedChannels, lose } = context;
  const sorted = current.channels
    .filter((channel) => {
      const reason = reasonToKeep(context, community, channel);
      if (reason) lose('channel', channel.name, reason);
      return !reason;
    })
    .sort((one, other) => needOf(context, one) - needOf(context, other));
  const canDeleteAll = savedChannels.length > 0 || sorted.length < current.channels.length;
  const kept = canDeleteAll ? undefined : sorted.pop();
  if (kept) lose('channel', kept.name, { code: 'lastChannelKept' });
  return sorted.map((channel) => deleteStep(context, channel));
};

const reasonToKeep = (
  { current, bot }: PlanContext,
  community: Community,
  channel: Channel,
): LossReason | undefined => {
  if (!canManage(bot, channel, current.guildId)) return { code: 'channelNotAccessible' };
  const { rulesChannelId, publicUpdatesChannelId } = current.settings;
  const isOfCommunity = [rulesChannelId, publicUpdatesChannelId].includes(channel.id);
  return isOfCommunity && community.isFinally && !community.rules
    ? { code: 'channelNeededByCommunity' }
    : undefined;
};

const needOf = (context: PlanContext, channel: Channel): number => {
  const { current, everyone } = context;
  const isVisible = isVisibleToEveryone(everyone.now, channel.overwrites, current.guildId);
  if (isNamedBySettings(context, channel)) return 3;
  if (channel.kind === 'text' && isVisible) return 2;
  return channel.kind === 'category' ? 1 : 0;
};

const isNamedBySettings = ({ current }: PlanContext, { id }: Channel): boolean =>
  channelSettings.some((setting) => current.settings[setting] === id);

const deleteStep = (context: PlanContext, channel: Channel): DraftStep =>
  draftStep({
    key: `delete channel ${channel.id}`,
    stage: channel.kind === 'category' ? 'deleteCategories' : 'deleteChannels',
    after: isNamedBySettings(context, channel) ? [repointKey] : [],
    name: channel.name,
    action: { do: 'deleteChannel', channelId: channel.id },
  });

/** Where roles are not restored, overwrites of roles that the target lacks are lost. */
const loseMissingRoles = (context: PlanContext): void => {
  const { restores, roleMatch, savedRoles, savedChannels } = context;
  if (restores('roles')) return;
  const named = new Set(
    savedChannels.flatMap(({ overwrites }) =>
      overwrites.filter(({ kind }) => kind === 'role').map(({ id }) => id),
    ),
  );
  for (const { name } of savedRoles.filter(({ id }) => named.has(id) && !roleMatch.has(id))) {
    context.lose('role', name, { code: 'roleOfChannelsMissing' });
  }
};

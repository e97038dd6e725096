import { fitIntoCategories, planRoom } from './category-room.ts';
import { planChannelDeletes } from './channel-deletes.ts';
import { planChannelEdit } from './channel-edits.ts';
import { flagsToRestore, needsCommunity } from './channel-kinds.ts';
import { byTargetPosition, choosePositions, planChannelOrder } from './channel-order.ts';
import type { Community } from './community.ts';
import { fitUnderLimit } from './fit-under-limit.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';
import { channelKey, emojiKey } from './step-keys.ts';
import { type TargetChannel, targetChannel } from './target-channel.ts';

const MAX_CHANNELS = 500;

/**
 * Channels that the target has are edited; missing ones are created, closed. What the backup does not
 * know is deleted when all new ones stand, where it is to be deleted at all. `areRolesMoved` says whether
 * members gain or lose roles.
 */
export const planChannels = (
  context: PlanContext,
  community: Community,
  areRolesMoved: boolean,
): DraftStep[] => {
  const targets = fitIntoCategories(context)
    .map((channel) => targetChannel(context, community, channel))
    .sort(byCreation(context, community));
  const missing = targets.filter(({ now }) => !now);
  const positions = context.isRepair ? choosePositions(targets) : new Map<string, number>();
  const { steps, left, overflow } = fitUnderLimit(
    missing.map((channel) => createStep(community, channel, positions.get(channel.oldId))),
    context.deletesExtra ? planChannelDeletes(context, community) : [],
    MAX_CHANNELS - context.current.channels.length,
  );
  const tooMany = new Set(overflow.map(({ key }) => key));
  for (const { name } of overflow) {
    context.lose('channel', name, { code: 'guildFull', of: 'channels' });
  }
  const made = targets.filter(({ oldId }) => !tooMany.has(channelKey(oldId)));
  for (const { wish, lost } of made) {
    for (const reason of lost) context.lose('channel', wish.name, reason);
  }
  const reveals = made.filter(({ now, isRevealed }) => !now && isRevealed).map(revealStep);
  const edits = made.flatMap((channel) => planChannelEdit(context, channel, areRolesMoved));
  loseMissingRoles(context);
  const room = planRoom(context, [...steps, ...edits, ...left]);
  const order = planChannelOrder(context, made, positions);
  return [...room, ...steps, ...edits, ...order, ...reveals, ...left];
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

const createStep = (
  community: Community,
  { oldId, wish: anywhere }: TargetChannel,
  position = anywhere.position,
): DraftStep => {
  const wish = { ...anywhere, position };
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

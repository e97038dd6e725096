import type { Channel } from '../../../platform/guild.ts';
import { channelSettings } from './action.ts';
import { canManage } from './bot-permissions.ts';
import type { Community } from './community.ts';
import type { LossReason } from './loss.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';
import { repointKey } from './step-keys.ts';
import { isVisibleToEveryone } from './visibility.ts';

/** Least needed first; the channels that settings name are the last. */
export const planChannelDeletes = (context: PlanContext, community: Community): DraftStep[] => {
  const { current, savedChannels, lose } = context;
  const sorted = current.channels
    .filter(({ id }) => !context.isChannelKnown(id))
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

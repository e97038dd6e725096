import type { Channel } from '../../../platform/guild.ts';
import { type ActionOf, type ChannelSetting, channelSettings, type Ref } from './action.ts';
import { byPosition, sortingGroup } from './channel-kinds.ts';
import type { Community } from './community.ts';
import { resolveRef } from './id-map.ts';
import type { PlanContext } from './plan-context.ts';

type Choice = ActionOf<'editSettings'>['channels'];

/** Chooses the channels that settings name in the end; only settings that change are in the result. */
export const chooseSettingsChannels = (context: PlanContext, community: Community): Choice => {
  if (!context.restores('settings')) return context.restores('channels') ? repoint(context) : {};
  const choice: Choice = {};
  for (const setting of channelSettings) {
    const now = context.current.settings[setting];
    const chosen = chooseChannel(context, community, setting);
    if (chosen === undefined) {
      context.lose('settings', settingLabels[setting], { code: 'settingChannelMissing' });
      continue;
    }
    const isSame =
      chosen === null ? now === null : resolveRef(context.idMap.channels, chosen) === now;
    if (!isSame) choice[setting] = chosen;
  }
  return choice;
};

const isReplaced = ({ deletesExtra, isChannelKnown }: PlanContext, id: string): boolean =>
  deletesExtra && !isChannelKnown(id);

/** Old channels are about to be deleted: each setting that names one is pointed to a successor. */
const repoint = (context: PlanContext): Choice => {
  const choice: Choice = {};
  const { channels, settings } = context.current;
  for (const setting of channelSettings) {
    const channel = channels.find(({ id }) => id === settings[setting] && isReplaced(context, id));
    const successor = channel && findSuccessor(context, channel);
    // A community cannot be without its two channels, so these settings are never emptied.
    if (successor || (successor === null && !isOfCommunity(setting))) choice[setting] = successor;
  }
  return choice;
};

/** The channel that it was in the backup, else one of the same name, else the first text channel. */
const findSuccessor = ({ savedChannels }: PlanContext, channel: Channel): Ref | null => {
  const texts = savedChannels.filter(({ kind }) => kind === 'text').sort(byPosition);
  const found =
    savedChannels.find(({ id, kind }) => id === channel.id && kind === channel.kind) ??
    savedChannels.find(({ name, kind }) => name === channel.name && kind === channel.kind) ??
    (sortingGroup(channel) === 'voice' ? undefined : texts[0]);
  return found ? { backup: found.id } : null;
};

/** Undefined where the backup names a channel that the target does not have. */
const chooseChannel = (
  { snapshot, current, savedChannels, channelMatch, restores }: PlanContext,
  community: Community,
  setting: ChannelSetting,
): Ref | null | undefined => {
  const now = current.settings[setting];
  const unchanged = now === null ? null : { present: now };
  if (community.isFinally && setting === 'rulesChannelId') return community.rules ?? unchanged;
  if (community.isFinally && setting === 'publicUpdatesChannelId') {
    return community.updates ?? unchanged;
  }
  const savedId = snapshot.settings?.[0]?.[setting] ?? null;
  if (savedId === null || isOfCommunity(setting)) return null;
  const saved = savedChannels.find(({ id }) => id === savedId);
  if (restores('channels')) return saved && { backup: savedId };
  const found =
    channelMatch.get(savedId) ??
    current.channels.find(({ name, kind }) => name === saved?.name && kind === saved?.kind);
  return found && { present: found.id };
};

const isOfCommunity = (setting: ChannelSetting) =>
  setting === 'rulesChannelId' || setting === 'publicUpdatesChannelId';

const settingLabels: Record<ChannelSetting, string> = {
  afkChannelId: 'the channel for those who are away',
  systemChannelId: 'the system channel',
  rulesChannelId: 'the rules channel',
  publicUpdatesChannelId: 'the updates channel',
  safetyAlertsChannelId: 'the safety channel',
};

import type { Channel, Overwrite } from '../../../platform/guild.ts';
import { sameOverwrites } from '../../../platform/permissions.ts';
import type { NewChannel } from './action.ts';
import { canBeLetInto, letBotIn, settableOverwrites } from './bot-permissions.ts';
import { flagsToRestore, needsCommunity } from './channel-kinds.ts';
import type { Community } from './community.ts';
import type { LossReason } from './loss.ts';
import type { PlanContext } from './plan-context.ts';
import { hideFromEveryone, isVisibleToEveryone } from './visibility.ts';

/** A channel of the backup as it can be in the target: as it is created, and as it ends. */
export type TargetChannel = {
  oldId: string;
  saved: Channel;
  /** The channel of the target that it is; undefined where it is created. */
  now: Channel | undefined;
  wish: NewChannel;
  finalOverwrites: Overwrite[];
  /** Not created as it ends: closed at first, or without its flags. */
  isRevealed: boolean;
  lost: LossReason[];
};

export const targetChannel = (
  context: PlanContext,
  community: Community,
  channel: Channel,
): TargetChannel => {
  const lost: LossReason[] = [];
  const now = context.channelMatch.get(channel.id);
  const finalOverwrites = finalOverwritesOf(context, channel, now, lost);
  const { id: oldId, tags, ...fields } = channel;
  const kind = now?.kind === channel.kind ? now.kind : reachableKind(community, channel, lost);
  const hasFlags = flagsToRestore({ ...channel, kind }) !== 0;
  const overwrites = firstOverwrites(context, finalOverwrites, hasFlags);
  const wish = {
    ...fields,
    kind,
    bitrate: reachableBitrate(context, channel, lost),
    overwrites,
    tags: tags.map(({ id: _, ...tag }) => tag),
  };
  const isUnfinished = hasFlags || !sameOverwrites(overwrites, finalOverwrites);
  const isRevealed = isUnfinished && canBeLetInto(context.bot, wish);
  if (!now && isUnfinished && !isRevealed) lost.push({ code: 'channelNotEditable' });
  return { oldId, saved: channel, now, wish, finalOverwrites, isRevealed, lost };
};

/** A channel that is hidden in the backup is hidden here, whatever @everyone may do here. */
export const finalOverwritesOf = (
  { snapshot, everyone, bot, idMap, savedRoles }: PlanContext,
  channel: Channel,
  now: Channel | undefined,
  lost: LossReason[],
): Overwrite[] => {
  const { guildId } = snapshot;
  const nowOf = ({ id, kind }: Overwrite) => {
    const here = kind === 'role' ? idMap.roles[id] : id;
    return now?.overwrites.find((one) => one.kind === kind && one.id === here);
  };
  const ownRole = savedRoles.find(({ botId }) => botId === bot.userId)?.id;
  const isOfBot = ({ id, kind }: Overwrite) => id === (kind === 'role' ? ownRole : bot.userId);
  const about = { nowOf, isOfBot };
  const { overwrites, refused } = settableOverwrites(bot, channel.overwrites, about);
  if (refused !== 0n) lost.push({ code: 'overwritesNotSettable', permissions: refused });
  const isVisibleInBackup = isVisibleToEveryone(everyone.saved, channel.overwrites, guildId);
  const isVisibleHere = isVisibleToEveryone(everyone.final, overwrites, guildId);
  return isVisibleHere && !isVisibleInBackup ? hideFromEveryone(overwrites, guildId) : overwrites;
};

/**
 * A channel that needs a second call is created closed, with access for the bot; it stays closed where the
 * bot cannot get into channels of its kind.
 */
const firstOverwrites = (
  { snapshot, everyone, bot }: PlanContext,
  finalOverwrites: Overwrite[],
  hasFlags: boolean,
): Overwrite[] =>
  hasFlags || isVisibleToEveryone(everyone.final, finalOverwrites, snapshot.guildId)
    ? letBotIn(bot, hideFromEveryone(finalOverwrites, snapshot.guildId))
    : finalOverwrites;

const reachableKind = (
  { isNow, becomes }: Community,
  channel: Channel,
  lost: LossReason[],
): Channel['kind'] => {
  if (isNow || becomes || !needsCommunity(channel)) return channel.kind;
  const kind = channel.kind === 'stage' ? 'voice' : 'text';
  lost.push({ code: 'kindChanged', from: channel.kind, to: kind });
  return kind;
};

/** The highest bitrate depends on the guild's boosts, which show in the features they bring. */
const bitrateByFeature: [string, number][] = [
  ['VANITY_URL', 384_000],
  ['ANIMATED_BANNER', 384_000],
  ['BANNER', 256_000],
  ['ROLE_ICONS', 256_000],
  ['INVITE_SPLASH', 128_000],
  ['ANIMATED_ICON', 128_000],
];
const UNBOOSTED_BITRATE = 96_000;
const bitrateByTier = [UNBOOSTED_BITRATE, 128_000, 256_000, 384_000];

const reachableBitrate = (
  { current }: PlanContext,
  channel: Channel,
  lost: LossReason[],
): number | null => {
  if (channel.kind !== 'voice' || channel.bitrate === null) return channel.bitrate;
  const { features } = current.settings;
  const byTier = bitrateByTier[current.premiumTier ?? 0] ?? UNBOOSTED_BITRATE;
  const boosted = bitrateByFeature.flatMap(([name, max]) => (features.includes(name) ? max : []));
  const inUse = current.channels.map(({ bitrate }) => bitrate ?? 0);
  const max = Math.max(byTier, ...boosted, ...inUse);
  if (channel.bitrate > max) lost.push({ code: 'bitrateReduced', bitrate: max });
  return Math.min(channel.bitrate, max);
};

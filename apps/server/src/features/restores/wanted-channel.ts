import type { Channel, Overwrite } from '../../platform/guild.ts';
import { namePermissions } from '../../platform/permissions.ts';
import type { PlannedChannel } from './action.ts';
import { letBotIn, settableOverwrites } from './bot-in-channel.ts';
import { flagsToRestore } from './channel-flags.ts';
import { type Community, needsCommunity } from './community.ts';
import type { Scene } from './scene.ts';
import { hideFromEveryone, isVisibleToEveryone, sameOverwrites } from './visibility.ts';

/** A channel of the backup as it can be in the target: as it is made, and as it ends. */
export type WantedChannel = {
  oldId: string;
  wish: PlannedChannel;
  finalOverwrites: Overwrite[];
  /** Not made as it ends: closed at first, or without its flags. */
  isRevealed: boolean;
  lost: string[];
};

export const wantedChannel = (
  scene: Scene,
  community: Community,
  channel: Channel,
): WantedChannel => {
  const lost: string[] = [];
  const finalOverwrites = finalOverwritesOf(scene, channel, lost);
  const { id: oldId, tags, ...fields } = channel;
  const kind = reachableKind(community, channel, lost);
  const hasFlags = flagsToRestore({ ...channel, kind }) !== 0;
  const overwrites = madeOverwrites(scene, finalOverwrites, hasFlags);
  const wish = {
    ...fields,
    kind,
    bitrate: reachableBitrate(scene, channel, lost),
    overwrites,
    tags: tags.map(({ id: _, ...tag }) => tag),
  };
  const isRevealed = hasFlags || !sameOverwrites(overwrites, finalOverwrites);
  return { oldId, wish, finalOverwrites, isRevealed, lost };
};

/** What is hidden in the backup is hidden here, whatever @everyone may do here. */
const finalOverwritesOf = (scene: Scene, channel: Channel, lost: string[]): Overwrite[] => {
  const { desired, everyone, powers } = scene;
  const { overwrites, refused } = settableOverwrites(powers, channel.overwrites);
  if (refused !== 0n) {
    lost.push(`the bot cannot set what it may not do itself: ${namePermissions(refused)}`);
  }
  const isHiddenInBackup = !isVisibleToEveryone(
    everyone.wanted,
    channel.overwrites,
    desired.guildId,
  );
  const wouldBeSeen = isVisibleToEveryone(everyone.final, overwrites, desired.guildId);
  return isHiddenInBackup && wouldBeSeen
    ? hideFromEveryone(overwrites, desired.guildId)
    : overwrites;
};

/** The bot must be able to come back to a channel that is not finished when it is made. */
const madeOverwrites = (
  { desired, everyone, powers }: Scene,
  finalOverwrites: Overwrite[],
  hasFlags: boolean,
): Overwrite[] =>
  hasFlags || isVisibleToEveryone(everyone.final, finalOverwrites, desired.guildId)
    ? letBotIn(powers, hideFromEveryone(finalOverwrites, desired.guildId))
    : finalOverwrites;

const reachableKind = (
  { isNow, becomes }: Community,
  channel: Channel,
  lost: string[],
): Channel['kind'] => {
  if (isNow || becomes || !needsCommunity(channel)) return channel.kind;
  const kind = channel.kind === 'stage' ? 'voice' : 'text';
  lost.push(`it comes back as a ${kind} channel: only a community has ${channel.kind} channels`);
  return kind;
};

/** How good voices may sound depends on boosts, which show in the features they bring. */
const bitrateByFeature: [string, number][] = [
  ['VANITY_URL', 384_000],
  ['ANIMATED_BANNER', 384_000],
  ['BANNER', 256_000],
  ['ROLE_ICONS', 256_000],
  ['INVITE_SPLASH', 128_000],
  ['ANIMATED_ICON', 128_000],
];
const ANY_SERVERS_BITRATE = 96_000;

const reachableBitrate = ({ present }: Scene, channel: Channel, lost: string[]): number | null => {
  if (channel.kind !== 'voice' || channel.bitrate === null) return channel.bitrate;
  const { features } = present.settings;
  const boosted = bitrateByFeature.flatMap(([name, max]) => (features.includes(name) ? max : []));
  const seen = present.channels.map(({ bitrate }) => bitrate ?? 0);
  const max = Math.max(ANY_SERVERS_BITRATE, ...boosted, ...seen);
  if (channel.bitrate > max) lost.push(`its bitrate is ${max}: more needs boosts`);
  return Math.min(channel.bitrate, max);
};

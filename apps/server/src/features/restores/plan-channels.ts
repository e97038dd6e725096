import type { Channel } from '../../platform/guild.ts';
import { channelSettings } from './action.ts';
import { canManage } from './bot-in-channel.ts';
import { flagsToRestore } from './channel-flags.ts';
import { byPosition, type Community, needsCommunity } from './community.ts';
import type { Part, Scene } from './scene.ts';
import type { Draft, Loss } from './step.ts';
import { fitUnderLimit } from './under-limit.ts';
import { isVisibleToEveryone, sortingGroup } from './visibility.ts';
import { type WantedChannel, wantedChannel } from './wanted-channel.ts';

const MAX_CHANNELS = 500;
const MAX_CHILDREN = 50;

export const channelKey = (oldId: string) => `channel ${oldId}`;
export const emojiKey = (oldId: string) => `emoji ${oldId}`;
/** The step that gives the server's own channels to new ones before the old ones go. */
export const repointKey = 'early repoint';

/** Channels are always made anew, closed; those that were there before go when all new ones stand. */
export const planChannels = (scene: Scene, community: Community): Part => {
  const losses: Loss[] = [];
  const wanted = withinCategories(scene.wantedChannels, losses)
    .map((channel) => wantedChannel(scene, community, channel))
    .sort(bySequence(scene, community));
  for (const { wish, lost } of wanted) {
    for (const reason of lost) losses.push({ type: 'channel', name: wish.name, reason });
  }
  const { steps, left, overflow } = fitUnderLimit(
    wanted.map((channel) => createStep(community, channel)),
    planDeletes(scene, community, losses),
    MAX_CHANNELS - scene.present.channels.length,
  );
  for (const { name } of overflow) {
    losses.push({ type: 'channel', name, reason: 'the server is full of channels that cannot go' });
  }
  const reveals = wanted.filter(({ isRevealed }) => isRevealed).map(revealStep);
  const last = [...planPlaces(wanted), ...reveals, ...left];
  return { steps: [...steps, ...last], losses: [...losses, ...missingRoles(scene)] };
};

/** More than fit into a category, or the children of one that the backup lacks, stand on their own. */
const withinCategories = (channels: Channel[], losses: Loss[]): Channel[] => {
  const room = new Map(
    channels.filter(({ kind }) => kind === 'category').map(({ id }) => [id, MAX_CHILDREN]),
  );
  return [...channels].sort(byPosition).map((channel) => {
    if (channel.parentId === null) return channel;
    const left = room.get(channel.parentId) ?? 0;
    if (left === 0) {
      const reason = 'its category is missing from the backup or full, so it stands outside';
      losses.push({ type: 'channel', name: channel.name, reason });
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
const bySequence = ({ wantedChannels }: Scene, { rules, updates }: Community) => {
  const firstIds = [rules, updates].flatMap((ref) => (ref && 'backup' in ref ? [ref.backup] : []));
  const parentIds = wantedChannels
    .filter(({ id }) => firstIds.includes(id))
    .map(({ parentId }) => parentId);
  const rankOf = ({ oldId, wish }: WantedChannel): number => {
    if (parentIds.includes(oldId)) return 0;
    if (firstIds.includes(oldId)) return 1;
    if (wish.kind === 'category') return 2;
    return needsCommunity(wish) ? 4 : 3;
  };
  return (one: WantedChannel, other: WantedChannel): number =>
    rankOf(one) - rankOf(other) ||
    byPosition({ id: one.oldId, ...place(one) }, { id: other.oldId, ...place(other) });
};

const place = ({ wish }: WantedChannel) => ({ position: wish.position });

const createStep = (community: Community, { oldId, wish }: WantedChannel): Draft => {
  const emojiIds = [...wish.tags, ...(wish.defaultReaction ? [wish.defaultReaction] : [])]
    .map(({ emojiId }) => emojiId)
    .filter((id) => id !== null);
  return {
    key: channelKey(oldId),
    stage: community.becomes && needsCommunity(wish) ? 'buildCommunity' : 'build',
    after: [
      ...(wish.parentId === null ? [] : [channelKey(wish.parentId)]),
      ...emojiIds.map(emojiKey),
    ],
    action: { do: 'createChannel', oldId, wish },
    type: 'channel',
    name: wish.name,
    effect: 'create',
  };
};

const revealStep = ({ oldId, wish, finalOverwrites }: WantedChannel): Draft => {
  const flags = flagsToRestore(wish);
  return {
    key: `reveal ${oldId}`,
    stage: 'reveal',
    after: [],
    action: {
      do: 'setOverwrites',
      channel: { backup: oldId },
      purpose: 'reveal',
      overwrites: finalOverwrites,
      ...(flags === 0 ? {} : { flags }),
    },
    type: 'channel',
    name: wish.name,
    effect: 'update',
  };
};

const planPlaces = (wanted: WantedChannel[]): Draft[] => {
  if (wanted.length < 2) return [];
  const places = (['category', 'text', 'voice'] as const).flatMap((group) =>
    wanted
      .filter(({ wish }) => sortingGroup(wish) === group)
      .sort((one, other) =>
        byPosition({ id: one.oldId, ...place(one) }, { id: other.oldId, ...place(other) }),
      )
      .map(({ oldId }, position) => ({ oldId, position })),
  );
  const action = { do: 'placeChannels' as const, places };
  const name = 'the order of the channels';
  return [
    { key: name, stage: 'finish', after: [], action, type: 'channel', name, effect: 'update' },
  ];
};

/** Least needed first; the last of all are those that serve the server as a whole. */
const planDeletes = (scene: Scene, community: Community, losses: Loss[]): Draft[] => {
  const { present } = scene;
  const sorted = [...present.channels]
    .filter((channel) => {
      const reason = reasonToStay(scene, community, channel);
      if (reason) losses.push({ type: 'channel', name: channel.name, reason });
      return !reason;
    })
    .sort((one, other) => needOf(scene, one) - needOf(scene, other));
  const canAllGo = scene.wantedChannels.length > 0 || sorted.length < present.channels.length;
  const kept = canAllGo ? undefined : sorted.pop();
  if (kept) {
    const reason = 'it stays, because the backup has no channel and a server needs one';
    losses.push({ type: 'channel', name: kept.name, reason });
  }
  return sorted.map((channel) => deleteStep(scene, channel));
};

const reasonToStay = (
  { present, powers }: Scene,
  community: Community,
  channel: Channel,
): string | undefined => {
  if (!canManage(powers, channel, present.guildId)) {
    return 'it was there before and should go, but the bot has no access to it';
  }
  const { rulesChannelId, publicUpdatesChannelId } = present.settings;
  const isCommunitys = [rulesChannelId, publicUpdatesChannelId].includes(channel.id);
  return isCommunitys && community.isFinally && !community.rules
    ? 'it stays, because a community needs it and the backup has no text channel'
    : undefined;
};

const needOf = (scene: Scene, channel: Channel): number => {
  const { present, everyone } = scene;
  const isSeen = isVisibleToEveryone(everyone.now, channel.overwrites, present.guildId);
  if (isServersOwn(scene, channel)) return 3;
  if (channel.kind === 'text' && isSeen) return 2;
  return channel.kind === 'category' ? 1 : 0;
};

const isServersOwn = ({ present }: Scene, { id }: Channel): boolean =>
  channelSettings.some((setting) => present.settings[setting] === id);

const deleteStep = (scene: Scene, channel: Channel): Draft => ({
  key: `delete channel ${channel.id}`,
  stage: channel.kind === 'category' ? 'deleteCategories' : 'deleteChannels',
  after: isServersOwn(scene, channel) ? [repointKey] : [],
  action: { do: 'deleteChannel', channelId: channel.id },
  type: 'channel',
  name: channel.name,
  effect: 'delete',
});

/** Where roles are not restored, what channels allow to roles that are not here has no one to go to. */
const missingRoles = ({ restores, roleMatch, wantedRoles, wantedChannels }: Scene): Loss[] => {
  if (restores('roles')) return [];
  const named = new Set(
    wantedChannels.flatMap(({ overwrites }) =>
      overwrites.filter(({ kind }) => kind === 'role').map(({ id }) => id),
    ),
  );
  return wantedRoles
    .filter(({ id }) => named.has(id) && !roleMatch.has(id))
    .map(({ name }) => ({
      type: 'role',
      name,
      reason: 'channels have rules for it, but this server does not have it',
    }));
};

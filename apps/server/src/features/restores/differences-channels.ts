import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../platform/guild.ts';
import type { Snapshot } from '../backups/snapshot.ts';
import { flagsToRestore } from './channel-flags.ts';
import { byPosition } from './community.ts';
import type { IdMap } from './id-map.ts';
import { resolveOverwrites, resolveReaction } from './resolve.ts';
import type { PresentGuild } from './step.ts';
import {
  hideFromEveryone,
  isVisibleToEveryone,
  sameOverwrites,
  sortingGroup,
} from './visibility.ts';

type Pair = { wanted: Channel; now: Channel };

export const channelDifferences = (
  desired: Snapshot,
  actual: PresentGuild,
  map: IdMap,
): string[] => {
  const wanted = desired.channels ?? [];
  const found = new Map(actual.channels.map((channel) => [channel.id, channel]));
  const kept = new Set(wanted.map(({ id }) => map.channels[id]));
  const pairs = wanted.flatMap((channel): Pair[] => {
    const now = found.get(map.channels[channel.id] ?? '');
    return now ? [{ wanted: channel, now }] : [];
  });
  const there = new Set(pairs.map((pair) => pair.wanted));
  return [
    ...wanted
      .filter((channel) => !there.has(channel))
      .map(({ name }) => `The channel ${name} is missing`),
    ...pairs.flatMap((pair) => fieldDifferences(pair, map)),
    ...pairs.flatMap((pair) => accessDifferences(pair, desired, actual, map)),
    ...orderDifferences(pairs),
    ...actual.channels
      .filter(({ id }) => !kept.has(id))
      .map(({ name }) => `The channel ${name} is not in the backup`),
  ];
};

const plainFields = [
  'kind',
  'name',
  'isAgeRestricted',
  'topic',
  'slowModeSeconds',
  'bitrate',
  'userLimit',
  'rtcRegion',
  'videoQualityMode',
  'threadArchiveMinutes',
  'threadSlowModeSeconds',
  'defaultSortOrder',
  'defaultForumLayout',
] as const;

const fieldDifferences = ({ wanted, now }: Pair, map: IdMap): string[] => {
  const differing: string[] = plainFields.filter((field) => wanted[field] !== now[field]);
  const parentId = wanted.parentId === null ? null : map.channels[wanted.parentId];
  if (now.parentId !== parentId) differing.push('category');
  if (flagsToRestore(wanted) !== flagsToRestore(now)) differing.push('flags');
  const isReactionSame = isDeepStrictEqual(
    resolveReaction(wanted.defaultReaction, map),
    now.defaultReaction,
  );
  if (!isReactionSame) differing.push('default reaction');
  const wantedTags = wanted.tags.map((tag) => {
    const emojiId = tag.emojiId === null ? null : (map.emojis[tag.emojiId] ?? null);
    return [tag.name, tag.isModerated, emojiId, tag.emojiName];
  });
  const tags = now.tags.map((tag) => [tag.name, tag.isModerated, tag.emojiId, tag.emojiName]);
  if (!isDeepStrictEqual(wantedTags, tags)) differing.push('tags');
  return differing.map((field) => `The channel ${wanted.name} differs in ${field}`);
};

/** A channel that had to be shut by name, because here everyone may see channels, is not different. */
const accessDifferences = (
  { wanted, now }: Pair,
  desired: Snapshot,
  actual: PresentGuild,
  map: IdMap,
): string[] => {
  const expected = resolveOverwrites(wanted.overwrites, map);
  const shut = hideFromEveryone(expected, actual.guildId);
  const everyone = desired.roles?.find(({ id }) => id === desired.guildId);
  const isHiddenInBackup =
    everyone !== undefined &&
    !isVisibleToEveryone(BigInt(everyone.permissions), wanted.overwrites, desired.guildId);
  const isSame =
    sameOverwrites(expected, now.overwrites) ||
    (isHiddenInBackup && sameOverwrites(shut, now.overwrites));
  const base = BigInt(actual.roles.find(({ id }) => id === actual.guildId)?.permissions ?? 0);
  const isOpen = isVisibleToEveryone(base, now.overwrites, actual.guildId);
  return [
    ...(isSame ? [] : [`The channel ${wanted.name} differs in who may do what`]),
    ...(isHiddenInBackup && isOpen ? [`The channel ${wanted.name} is private but open`] : []),
  ];
};

/** Only among those that stand together: channels of one group within one category. */
const orderDifferences = (pairs: Pair[]): string[] => {
  const groups = Map.groupBy(pairs, ({ wanted }) => `${wanted.parentId} ${sortingGroup(wanted)}`);
  return [...groups.values()].flatMap((group) => {
    const sorted = group.sort((one, other) => byPosition(one.wanted, other.wanted));
    return sorted.flatMap(({ wanted, now }, index) => {
      const next = sorted[index + 1];
      return next && byPosition(now, next.now) > 0
        ? [`The channel ${wanted.name} stands below ${next.wanted.name}`]
        : [];
    });
  });
};

import { isDeepStrictEqual } from 'node:util';
import type { Channel, ForumTag } from '../../../platform/guild.ts';
import { sameOverwrites } from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { plainChannelFields, valueOfField } from '../plan/channel-changes.ts';
import { byPosition, flagsToRestore, sortingGroup } from '../plan/channel-kinds.ts';
import { type IdMap, resolveEmoji, resolveOverwrites, resolveReaction } from '../plan/id-map.ts';
import type { GuildState } from '../plan/step.ts';
import { hideFromEveryone, isVisibleToEveryone } from '../plan/visibility.ts';
import type { Difference } from './describe-difference.ts';
import { findLetIn, type Subject } from './let-in.ts';

type Pair = { saved: Channel; now: Channel };

export const compareChannels = (
  snapshot: Snapshot,
  actual: GuildState,
  map: IdMap,
  mayHaveMore: boolean,
): Difference[] => {
  const saved = snapshot.channels ?? [];
  const found = new Map(actual.channels.map((channel) => [channel.id, channel]));
  const restoredIds = new Set(saved.map(({ id }) => map.channels[id]));
  const pairs = saved.flatMap((channel): Pair[] => {
    const now = found.get(map.channels[channel.id] ?? '');
    return now ? [{ saved: channel, now }] : [];
  });
  const there = new Set(pairs.map((pair) => pair.saved));
  return [
    ...saved
      .filter((channel) => !there.has(channel))
      .map(({ name }): Difference => ({ type: 'channel', name, code: 'missing' })),
    ...pairs.flatMap((pair) => compareFields(pair, map)),
    ...pairs.flatMap((pair) => compareAccess(pair, snapshot, actual, map)),
    ...compareOrder(pairs),
    ...actual.channels
      .filter(({ id }) => !mayHaveMore && !restoredIds.has(id))
      .map(({ name }): Difference => ({ type: 'channel', name, code: 'notInBackup' })),
  ];
};

const compareFields = ({ saved, now }: Pair, map: IdMap): Difference[] => {
  const differing: string[] = plainChannelFields.filter(
    (field) => valueOfField(saved, field) !== valueOfField(now, field),
  );
  if (saved.kind !== now.kind) differing.push('kind');
  const parentId = saved.parentId === null ? null : map.channels[saved.parentId];
  if (now.parentId !== parentId) differing.push('category');
  if (flagsToRestore(saved) !== flagsToRestore(now)) differing.push('flags');
  const reaction = resolveReaction(saved.defaultReaction, map);
  if (!isDeepStrictEqual(reaction, now.defaultReaction)) differing.push('default reaction');
  const savedTags = saved.tags.map((tag) => tagFields(tag, resolveEmoji(tag.emojiId, map)));
  const tags = now.tags.map((tag) => tagFields(tag, tag.emojiId));
  if (!isDeepStrictEqual(savedTags, tags)) differing.push('tags');
  const { name } = saved;
  return differing.map((detail) => ({ type: 'channel', name, code: 'field', detail }));
};

const tagFields = ({ name, isModerated, emojiName }: ForumTag, emojiId: string | null) => [
  name,
  isModerated,
  emojiId,
  emojiName,
];

const compareAccess = (
  pair: Pair,
  snapshot: Snapshot,
  actual: GuildState,
  map: IdMap,
): Difference[] => {
  const { saved, now } = pair;
  const { overwrites, isHidden } = wantedAccess(saved, snapshot, map);
  const hidden = hideFromEveryone(overwrites, actual.guildId);
  // One that the restore hid by an overwrite, because here everyone sees channels, is the same.
  const isSame =
    sameOverwrites(overwrites, now.overwrites) ||
    (isHidden && sameOverwrites(hidden, now.overwrites));
  const channel = { type: 'channel', name: saved.name } as const;
  const isOpen = whoIsLetIn(pair, snapshot, actual, map).length > 0;
  return [
    ...(isSame ? [] : [{ ...channel, code: 'overwrites' as const }]),
    ...(isOpen ? [{ ...channel, code: 'privateButOpen' as const }] : []),
  ];
};

/** The backup's overwrites by the ids they have here, and whether @everyone saw nothing there. */
const wantedAccess = (saved: Channel, snapshot: Snapshot, map: IdMap) => {
  const everyone = snapshot.roles?.find(({ id }) => id === snapshot.guildId);
  const isHidden =
    everyone !== undefined &&
    !isVisibleToEveryone(BigInt(everyone.permissions), saved.overwrites, snapshot.guildId);
  return { overwrites: resolveOverwrites(saved.overwrites, map), isHidden };
};

/** Whom a channel lets in that it does not let in by the backup's overwrites. */
const whoIsLetIn = (
  { saved, now }: Pair,
  snapshot: Snapshot,
  actual: GuildState,
  map: IdMap,
): Subject[] => {
  const { guildId } = actual;
  const { overwrites, isHidden } = wantedAccess(saved, snapshot, map);
  const base = BigInt(actual.roles.find(({ id }) => id === guildId)?.permissions ?? 0);
  const isOpen = isVisibleToEveryone(base, now.overwrites, guildId);
  const wouldBeOpen = isVisibleToEveryone(base, overwrites, guildId);
  if (isOpen && (isHidden || !wouldBeOpen)) return [{ id: guildId, kind: 'role' }];
  const wanted = isHidden && wouldBeOpen ? hideFromEveryone(overwrites, guildId) : overwrites;
  return findLetIn(actual, now.overwrites, wanted);
};

/** Channels of the backup that are open to somebody who is not let in there, with whom. */
export const findOpenChannels = (
  snapshot: Snapshot,
  actual: GuildState,
  map: IdMap,
): { channel: Channel; letIn: Subject[] }[] => {
  const found = new Map(actual.channels.map((channel) => [channel.id, channel]));
  return (snapshot.channels ?? []).flatMap((saved) => {
    const now = found.get(map.channels[saved.id] ?? '');
    const letIn = now ? whoIsLetIn({ saved, now }, snapshot, actual, map) : [];
    return now && letIn.length > 0 ? [{ channel: now, letIn }] : [];
  });
};

/** Only channels of one group within one category have an order. */
const compareOrder = (pairs: Pair[]): Difference[] => {
  const groups = Map.groupBy(pairs, ({ saved }) => `${saved.parentId} ${sortingGroup(saved)}`);
  return [...groups.values()].flatMap((group) => {
    const sorted = group.sort((one, other) => byPosition(one.saved, other.saved));
    return sorted.flatMap(({ saved, now }, index): Difference[] => {
      const next = sorted[index + 1];
      if (!next || byPosition(now, next.now) <= 0) return [];
      return [{ type: 'channel', name: saved.name, code: 'standsBelow', detail: next.saved.name }];
    });
  });
};

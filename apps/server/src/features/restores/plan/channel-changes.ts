import { isDeepStrictEqual } from 'node:util';
import { type Channel, channel, type ForumTag, type Overwrite } from '../../../platform/guild.ts';
import { sameOverwrites } from '../../../platform/permissions.ts';
import type { ActionOf } from './action.ts';
import { flagsToRestore } from './channel-kinds.ts';
import { resolveEmoji, resolveReaction } from './id-map.ts';
import type { PlanContext } from './plan-context.ts';
import { finalOverwritesOf, type TargetChannel } from './target-channel.ts';

type ChannelChanges = ActionOf<'editChannel'>['changes'];

/** The fields of a channel that are compared and set as they are. */
export const plainChannelFields = channel
  .keyof()
  .exclude([
    'id',
    'kind',
    'parentId',
    'position',
    'overwrites',
    'tags',
    'defaultReaction',
    'flags',
  ]).options;

/** What the platform takes a missing value for. */
const defaults: Partial<Record<keyof Channel, number>> = {
  threadSlowModeSeconds: 0,
  userLimit: 0,
  videoQualityMode: 1,
};

export const valueOfField = (
  one: Pick<Channel, (typeof plainChannelFields)[number]>,
  field: (typeof plainChannelFields)[number],
) => one[field] ?? defaults[field] ?? null;

/** Only what differs, with ids as in the backup. Positions are set for all channels in one call. */
export const channelChanges = (
  context: PlanContext,
  { saved, wish, finalOverwrites }: TargetChannel,
  now: Channel,
): ChannelChanges => {
  const changes: ChannelChanges = Object.fromEntries(
    plainChannelFields
      .filter((field) => valueOfField(wish, field) !== valueOfField(now, field))
      .map((field) => [field, valueOfField(wish, field)]),
  );
  if (wish.kind !== now.kind) changes.kind = wish.kind;
  // An announcement channel has no slow mode: it goes with the change of its kind.
  if (wish.kind === 'announcement') delete changes.slowModeSeconds;
  if (parentNow(context, wish.parentId) !== now.parentId) changes.parentId = wish.parentId;
  if (flagsToRestore(wish) !== flagsToRestore(now)) changes.flags = flagsToRestore(wish);
  if (!areTheSame(context, finalOverwrites, now)) changes.overwrites = finalOverwrites;
  return { ...changes, ...forumChanges(context, wish, saved, now) };
};

/** Whether a channel of the backup is there and says already who may do what in it. */
export const hasItsOverwrites = (context: PlanContext, saved: Channel): boolean => {
  const now = context.channelMatch.get(saved.id);
  return now !== undefined && areTheSame(context, finalOverwritesOf(context, saved, now, []), now);
};

const areTheSame = (context: PlanContext, overwrites: Overwrite[], now: Channel): boolean =>
  sameOverwrites(expectedOverwrites(context, overwrites), now.overwrites);

const parentNow = ({ channelMatch }: PlanContext, parentId: string | null): string | null =>
  parentId === null ? null : (channelMatch.get(parentId)?.id ?? `new ${parentId}`);

/** By the ids they have here; a role that is about to be created has none yet. */
export const expectedOverwrites = (context: PlanContext, overwrites: Overwrite[]): Overwrite[] =>
  overwrites.flatMap((overwrite) => {
    const { id, kind } = overwrite;
    if (kind === 'member') return [overwrite];
    const here = context.idMap.roles[id] ?? (context.createsRole(id) ? `new ${id}` : undefined);
    return here === undefined ? [] : [{ ...overwrite, id: here }];
  });

const forumChanges = (
  { idMap, createsEmoji }: PlanContext,
  wish: TargetChannel['wish'],
  saved: Channel,
  now: Channel,
): Pick<ChannelChanges, 'tags' | 'defaultReaction'> => {
  const expectedEmoji = (id: string | null) =>
    id !== null && createsEmoji(id) ? `new ${id}` : resolveEmoji(id, idMap);
  const tagFields = (tag: TargetChannel['wish']['tags'][number], emojiId: string | null) => [
    ...[tag.name, tag.isModerated, emojiId, tag.emojiName],
  ];
  const areTagsSame = isDeepStrictEqual(
    wish.tags.map((tag) => tagFields(tag, expectedEmoji(tag.emojiId))),
    now.tags.map((tag) => tagFields(tag, tag.emojiId)),
  );
  const reaction = resolveReaction(wish.defaultReaction, idMap);
  const waitsForEmoji = createsEmoji(wish.defaultReaction?.emojiId ?? '');
  const isReactionSame = !waitsForEmoji && isDeepStrictEqual(reaction, now.defaultReaction);
  return {
    ...(areTagsSame ? {} : { tags: withTagIds(wish.tags, saved.tags, now.tags) }),
    ...(isReactionSame ? {} : { defaultReaction: wish.defaultReaction }),
  };
};

/** A tag keeps its id, by which the posts that carry it name it. */
const withTagIds = (
  wanted: TargetChannel['wish']['tags'],
  saved: ForumTag[],
  now: ForumTag[],
): NonNullable<ChannelChanges['tags']> => {
  const free = [...now];
  const take = (isWanted: (tag: ForumTag) => boolean): string | undefined => {
    const index = free.findIndex(isWanted);
    return index < 0 ? undefined : free.splice(index, 1)[0]?.id;
  };
  const byId = saved.map((tag) => take(({ id }) => id === tag.id));
  return wanted.map((tag, index) => {
    const id = byId[index] ?? take(({ name }) => name === tag.name);
    return id === undefined ? tag : { ...tag, id };
  });
};

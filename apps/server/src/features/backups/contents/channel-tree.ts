import type { Channel, ChannelKind } from '../../../platform/guild.ts';

type Branch = { thing: Channel; children: Channel[] };

/** Channels without a category first, as the platform shows them; one whose category is gone is among them. */
export const treeOf = (channels: readonly Channel[]): Branch[] => {
  const categories = new Set(
    channels.filter(({ kind }) => kind === 'category').map(({ id }) => id),
  );
  const parentOf = ({ kind, parentId }: Channel) =>
    kind !== 'category' && parentId !== null && categories.has(parentId) ? parentId : null;
  const below = Map.groupBy(channels.toSorted(compareChannels), parentOf);
  return (below.get(null) ?? []).map((thing) => ({
    thing,
    children: below.get(thing.id) ?? [],
  }));
};

const spoken = new Set<ChannelKind>(['voice', 'stage']);

/** Voice channels stand below the others of their category, whatever their position. */
const placeOf = ({ kind, position }: Channel): [group: number, position: number] => [
  kind === 'category' ? 2 : spoken.has(kind) ? 1 : 0,
  position,
];

const compareChannels = (one: Channel, other: Channel): number => {
  const [[group, position], [otherGroup, otherPosition]] = [placeOf(one), placeOf(other)];
  return (
    group - otherGroup || position - otherPosition || (BigInt(one.id) < BigInt(other.id) ? -1 : 1)
  );
};

import { byPosition, sortingGroup } from './channel-kinds.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';
import type { TargetChannel } from './target-channel.ts';

/** Only channels of one group within one category have an order. */
const bySibling = ({ wish }: TargetChannel) => `${wish.parentId} ${sortingGroup(wish)}`;

export const byTargetPosition = (one: TargetChannel, other: TargetChannel): number =>
  byPosition(
    { id: one.oldId, position: one.wish.position },
    { id: other.oldId, position: other.wish.position },
  );

/** By id in the backup. */
type Positions = Map<string, number>;

/**
 * The positions that channels have when all stand: those that are there keep theirs, and a new one is
 * created on a free one between its neighbours, if there is one.
 */
export const choosePositions = (targets: TargetChannel[]): Positions => {
  const positions: Positions = new Map();
  for (const siblings of Map.groupBy(targets, bySibling).values()) {
    const sorted = siblings.toSorted(byTargetPosition);
    let last = -1;
    for (const [index, target] of sorted.entries()) {
      last = target.now?.position ?? freePosition(last, sorted.slice(index));
      positions.set(target.oldId, last);
    }
  }
  return positions;
};

/** Its own position in the backup where that is free, else the lowest; the next ones need room as well. */
const freePosition = (last: number, [target, ...next]: TargetChannel[]): number => {
  const newOnes = next.findIndex(({ now }) => now);
  const above = next[newOnes]?.now?.position;
  const highest = above === undefined ? Number.POSITIVE_INFINITY : above - newOnes - 1;
  const wanted = target?.wish.position ?? 0;
  return wanted > last && wanted <= highest ? wanted : last + 1;
};

/** One call, and only where channels would stand in another order than in the backup without it. */
export const planChannelOrder = (
  { isRepair }: PlanContext,
  targets: TargetChannel[],
  positions: Positions,
): DraftStep[] => {
  const places = isRepair ? placesToRepair(targets, positions) : allPlaces(targets);
  if (places.length === 0) return [];
  const name = 'the order of the channels';
  return [draftStep({ key: name, stage: 'finish', name, action: { do: 'placeChannels', places } })];
};

type Place = { oldId: string; position: number };

const placesToRepair = (targets: TargetChannel[], positions: Positions): Place[] =>
  [...Map.groupBy(targets, bySibling).values()].flatMap((siblings) => {
    const sorted = siblings.toSorted(byTargetPosition);
    return isInOrder(sorted, positions) ? [] : spread(sorted, positions);
  });

const allPlaces = (targets: TargetChannel[]): Place[] =>
  targets.length < 2
    ? []
    : (['category', 'text', 'voice'] as const).flatMap((group) =>
        targets
          .filter(({ wish }) => sortingGroup(wish) === group)
          .sort(byTargetPosition)
          .map(({ oldId }, position) => ({ oldId, position })),
      );

/** Of two on one position the older one stands first; which of two new ones that is nobody knows. */
const isInOrder = (sorted: TargetChannel[], positions: Positions): boolean =>
  sorted.every((one, index) => {
    const other = sorted[index + 1];
    if (!other) return true;
    const [here, there] = [positions.get(one.oldId) ?? 0, positions.get(other.oldId) ?? 0];
    if (here !== there) return here < there;
    return Boolean(one.now && other.now && BigInt(one.now.id) < BigInt(other.now.id));
  });

/** The positions that they have together, in the right order and each only once. */
const spread = (sorted: TargetChannel[], positions: Positions): Place[] => {
  const taken = sorted.map(({ oldId }) => positions.get(oldId) ?? 0).sort((a, b) => a - b);
  let last = -1;
  return sorted.flatMap(({ oldId }, index) => {
    last = Math.max(taken[index] ?? 0, last + 1);
    return last === positions.get(oldId) ? [] : [{ oldId, position: last }];
  });
};

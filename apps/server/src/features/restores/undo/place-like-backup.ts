type Placed = { id: string; position: number };

type Places = {
  saved: readonly Placed[];
  /** Whether it is made again, so that it has no place yet. */
  isMade(id: string): boolean;
  /** Whether it goes back to its place if it stands elsewhere. */
  isMovable(id: string): boolean;
  compare(one: Placed, other: Placed): number;
  /** Where new things come: with which neighbour those of the backup stay together. */
  newComeFirst: boolean;
};

/**
 * Things stand where they stood in the backup, by their neighbours there: the positions themselves may
 * have moved since. What is neither made again nor movable keeps its order.
 */
export const placeLikeBackup = <Thing extends Placed>(
  things: readonly Thing[],
  { saved, isMade, isMovable, compare, newComeFirst }: Places,
): Thing[] => {
  const savedIds = saved.toSorted(compare).map(({ id }) => id);
  const rankOf = ({ id }: Placed) => savedIds.indexOf(id);
  const known = things.filter((thing) => rankOf(thing) >= 0 && !isMade(thing.id));
  const isMoved = (thing: Thing) =>
    rankOf(thing) >= 0 &&
    known.some(
      (other) => other !== thing && compare(thing, other) < 0 !== rankOf(thing) < rankOf(other),
    );
  const placed = things.filter(
    (thing) => isMade(thing.id) || (isMovable(thing.id) && isMoved(thing)),
  );
  if (placed.length === 0) return [...things];
  const order = things.filter((thing) => !placed.includes(thing)).sort(compare);
  for (const thing of placed.sort((one, other) => rankOf(one) - rankOf(other))) {
    const index = indexBeside(order, savedIds, thing.id, newComeFirst);
    const byItself = order.findIndex((other) => compare(thing, other) < 0);
    order.splice(index ?? (byItself < 0 ? order.length : byItself), 0, thing);
  }
  const isInOrder = order.every((thing, index) => {
    const next = order[index + 1];
    return !next || compare(thing, next) < 0;
  });
  return isInOrder ? order : order.map((thing, position) => ({ ...thing, position }));
};

/** Beside the nearest of those that it stood beside; undefined where none of them is there. */
const indexBeside = (
  order: readonly Placed[],
  savedIds: readonly string[],
  id: string,
  newComeFirst: boolean,
): number | undefined => {
  const rank = savedIds.indexOf(id);
  if (rank < 0) return undefined;
  const indexOf = (other: string) => order.findIndex((one) => one.id === other);
  const isThere = (other: string) => indexOf(other) >= 0;
  const before = savedIds.slice(0, rank).findLast(isThere);
  const after = savedIds.slice(rank + 1).find(isThere);
  const indexBefore = before === undefined ? undefined : indexOf(before) + 1;
  const indexAfter = after === undefined ? undefined : indexOf(after);
  return newComeFirst ? (indexAfter ?? indexBefore) : (indexBefore ?? indexAfter);
};

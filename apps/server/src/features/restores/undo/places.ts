/** Where a channel or a role stood; a role has no parent. */
export type PlaceOf = {
  type: 'channel' | 'role';
  id: string;
  parentId: string | null;
  position: number;
};

/**
 * Moves are not in the audit log: they are known by where things were heard to stand, and by the backup.
 * Who moved something nobody says, so whatever was moved while attackers were at work counts as theirs.
 */
export type Places = {
  /** Where things stood before the attack, if they were moved since the backup. */
  before: PlaceOf[];
  /** Where the attack left those that were moved meanwhile. */
  during: PlaceOf[];
  /** When the backup was taken that says where everything else stood. */
  backedUpAt: string;
};

type Heard = PlaceOf & { at: Date };
type Span = { id: string; from: Date; until: Date };

/** What was heard is stored a moment after it was done. */
export const heardWithinMs = 5000;

export const placesOf = (
  { moves, backedUpAt }: { moves: readonly Heard[]; backedUpAt: Date },
  attacks: readonly Span[],
  incidentId: string,
): Places | undefined => {
  const own = attacks.find(({ id }) => id === incidentId);
  const isWithin = ({ at }: Heard, { from, until }: Span) =>
    at >= from && at.getTime() <= until.getTime() + heardWithinMs;
  if (!own) return undefined;
  const before = new Map<string, PlaceOf>();
  const during = new Map<string, PlaceOf>();
  const touched = new Set(moves.filter((move) => isWithin(move, own)).map(keyOf));
  for (const move of moves) {
    const { at, ...place } = move;
    const isOfAttack = attacks.some((attack) => isWithin(move, attack));
    if (isOfAttack) during.set(keyOf(move), place);
    else if (at < own.from) before.set(keyOf(move), place);
  }
  const theirs = [...during].filter(([key]) => touched.has(key)).map(([, place]) => place);
  if (theirs.length === 0) return undefined;
  return { before: [...before.values()], during: theirs, backedUpAt: backedUpAt.toISOString() };
};

const keyOf = ({ type, id }: Pick<PlaceOf, 'type' | 'id'>): string => `${type} ${id}`;

type Placed = { id: string; position: number; parentId?: string | null };

type Order<Thing> = {
  type: PlaceOf['type'];
  live: readonly Thing[];
  /** Where they stood before the attack. */
  stood: readonly Placed[];
  /** Only things of one group have an order. */
  groupOf(thing: Thing): string;
  compare(one: Placed, other: Placed): number;
};

/**
 * What the attack moved and nobody has moved since; and what somebody has moved since, but not back to where
 * it stood.
 */
export const sortMoved = <Thing extends Placed>(
  { places }: { places?: Places },
  { type, stood, ...order }: Order<Thing>,
): { theirs: Set<string>; since: Set<string> } => {
  const left = (places?.during ?? []).filter((place) => place.type === type);
  if (left.length === 0) return { theirs: new Set(), since: new Set() };
  const since = movedFrom(left, order).intersection(movedFrom(stood, order));
  return { theirs: new Set(left.map(({ id }) => id)).difference(since), since };
};

/** As few as possible that stand elsewhere than then, by their parent or among their siblings. */
const movedFrom = <Thing extends Placed>(
  places: readonly Placed[],
  { live, groupOf, compare }: Pick<Order<Thing>, 'live' | 'groupOf' | 'compare'>,
): Set<string> => {
  const then = new Map(places.map((place) => [place.id, place]));
  const moved = new Set<string>();
  for (const { id, parentId = null } of live) {
    const place = then.get(id);
    if (place && (place.parentId ?? null) !== parentId) moved.add(id);
  }
  for (const group of Map.groupBy(live, groupOf).values()) {
    const stayed = group.filter(({ id }) => !moved.has(id));
    const now = stayed.toSorted(compare).map(({ id }) => id);
    const before = stayed
      .map(({ id, position }) => ({ id, position: then.get(id)?.position ?? position }))
      .sort(compare);
    for (const rank of outOfOrder(before.map(({ id }) => now.indexOf(id)))) {
      moved.add(now[rank] ?? '');
    }
  }
  return moved;
};

/** The fewest of these numbers without which the others ascend. */
const outOfOrder = (ranks: readonly number[]): number[] => {
  const longest = ranks.map(() => 1);
  const previous = ranks.map(() => -1);
  for (const [end, rank] of ranks.entries()) {
    for (let at = 0; at < end; at++) {
      if ((ranks[at] ?? 0) < rank && (longest[at] ?? 0) + 1 > (longest[end] ?? 0)) {
        longest[end] = (longest[at] ?? 0) + 1;
        previous[end] = at;
      }
    }
  }
  const kept = new Set<number>();
  let at = longest.indexOf(Math.max(0, ...longest));
  while (at >= 0) {
    kept.add(ranks[at] ?? -1);
    at = previous[at] ?? -1;
  }
  return ranks.filter((rank) => !kept.has(rank));
};

/** The backup's places, with what was heard since until the attack. */
export const savedPlaces = <Saved extends Placed>(
  { places }: { places?: Places },
  type: PlaceOf['type'],
  saved: readonly Saved[],
): Placed[] => {
  const heard = new Map(
    places?.before.filter((place) => place.type === type).map((place) => [place.id, place]),
  );
  const known = saved.map(
    ({ id, position, parentId }): Placed => heard.get(id) ?? { id, position, parentId },
  );
  const later = [...heard.values()].filter(({ id }) => !saved.some((one) => one.id === id));
  return [...known, ...later];
};

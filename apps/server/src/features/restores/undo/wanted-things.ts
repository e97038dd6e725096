import { applyFields } from './apply-fields.ts';
import type { UndoInput, UndoScope } from './scope.ts';
import type { ThingType } from './set-atoms.ts';

type Typed = { type: ThingType; id: string };

export const idsOf = (things: readonly Typed[], wanted: ThingType): Set<string> =>
  new Set(things.filter(({ type }) => type === wanted).map(({ id }) => id));

type Schema<Thing> = Parameters<typeof applyFields<Thing & object>>[2];

/** Those of them that an undo makes again: the others were made by hand since, and stay as they are. */
const madeAgain = ({ deleted }: UndoScope, type: ThingType): UndoScope['deleted'] =>
  deleted.filter((thing) => thing.type === type && thing.byHand === undefined);

const madeByHand = ({ deleted }: UndoScope, type: ThingType): Set<string> =>
  idsOf(
    deleted.filter(({ byHand }) => byHand !== undefined),
    type,
  );

/** What others set since the backup, as fields to apply; without an id, in what there is one of. */
export const honestFieldsOf = ({ honest = [] }: UndoScope, type: ThingType, id: string | null) =>
  honest
    .filter((one) => one.type === type && (id === null || one.id === id))
    .flatMap(({ fields }) => fields.map(({ key, value }) => ({ key, before: value })));

type Things<Entry> = {
  type: ThingType;
  live: readonly Entry[];
  saved?: readonly Entry[];
  schema: Schema<Entry>;
  /** What one has of which neither backup nor log know anything. */
  blank: object;
  /** Adds what went with other things that are made again. */
  complete?(thing: Entry): Entry;
};

/** Without what they made, with what they deleted, and with each field as it was before them. */
export const wantedOf = <Entry extends { id: string }>(
  { scope }: UndoInput,
  { type, live, saved = [], schema, blank, complete = (thing) => thing }: Things<Entry>,
): Entry[] => {
  const made = idsOf(scope.created, type);
  const byHand = madeByHand(scope, type);
  const lost = madeAgain(scope, type);
  const lostIds = new Set(lost.map(({ id }) => id));
  const again = lost.flatMap(({ id, last }) => {
    const base = saved.find((one) => one.id === id);
    const whole = schema.safeParse({ ...blank, ...base, ...last, id });
    return whole.success ? [whole.data] : (base ?? []);
  });
  const fieldsOf = (id: string) => [
    ...scope.changed
      .filter((one) => one.type === type && one.id === id && !byHand.has(id))
      .flatMap((one) => one.fields),
    ...honestFieldsOf(scope, type, id),
  ];
  return [...live.filter(({ id }) => !made.has(id) && !lostIds.has(id)), ...again].map((thing) =>
    applyFields(complete(thing), fieldsOf(thing.id), schema),
  );
};

/** What was moved during the attack is put back in its place, and so is what attackers touched otherwise. */
export const placesIn = (scope: UndoScope, type: ThingType, moved: ReadonlySet<string>) => {
  const byHand = madeByHand(scope, type);
  const made = new Set(madeAgain(scope, type).map(({ id }) => id));
  const touched = scope.changed.filter(({ fields }) => fields.some((one) => !one.isFollowed));
  const movable = idsOf(touched, type).union(moved).difference(byHand);
  return { isMade: (id: string) => made.has(id), isMovable: (id: string) => movable.has(id) };
};

import { fitUnderLimit } from '../fit-under-limit.ts';
import type { Loss } from '../loss.ts';
import type { PlanContext } from '../plan-context.ts';
import type { DraftStep } from '../step.ts';

type Ids = Record<string, string>;

/**
 * Which thing of the target is which of the backup: by its id, by the id that an earlier restore gave
 * it, else by a key that only one on each side has.
 */
export const matchParts = <Saved extends { id: string }, Now extends { id: string }>(
  saved: readonly Saved[],
  current: readonly Now[],
  earlierIds: Ids | undefined,
  keyOfSaved: (saved: Saved) => string | undefined,
  keyOfNow: (now: Now) => string | undefined,
): Map<string, Now> => {
  const pairs = new Map<string, Now>();
  const byId = new Map(current.map((now) => [now.id, now]));
  const taken = new Set<string>();
  const pair = (oldId: string, now: Now | undefined) => {
    if (!now || pairs.has(oldId) || taken.has(now.id)) return;
    pairs.set(oldId, now);
    taken.add(now.id);
  };
  for (const { id } of saved) pair(id, byId.get(id));
  for (const { id } of saved) pair(id, byId.get(earlierIds?.[id] ?? ''));
  const openSaved = groupBy(
    saved.filter(({ id }) => !pairs.has(id)),
    keyOfSaved,
  );
  const openNow = groupBy(
    current.filter(({ id }) => !taken.has(id)),
    keyOfNow,
  );
  for (const [key, [one, ...others]] of openSaved) {
    const [now, ...more] = openNow.get(key) ?? [];
    if (one && others.length === 0 && more.length === 0) pair(one.id, now);
  }
  return pairs;
};

const groupBy = <Thing>(things: Thing[], keyOf: (thing: Thing) => string | undefined) => {
  const groups = new Map<string, Thing[]>();
  for (const thing of things) {
    const key = keyOf(thing);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), thing]);
  }
  return groups;
};

type ListOfParts<Saved, Now> = {
  type: Loss['type'];
  saved: readonly Saved[];
  current: readonly Now[];
  pairs: Map<string, Now>;
  create(saved: Saved): DraftStep[];
  edit(saved: Saved, now: Now): DraftStep[];
  /** Deletes one that the backup does not have. */
  remove(now: Now): DraftStep;
  /** How many the guild can have. */
  limit: number;
};

/** What is missing is created, what differs is edited, and what is surplus goes where it should. */
export const planList = <Saved extends { id: string }, Now extends { id: string }>(
  context: PlanContext,
  { type, saved, current, pairs, limit, ...plan }: ListOfParts<Saved, Now>,
  deletesSurplus: boolean,
): DraftStep[] => {
  const matched = new Set([...pairs.values()].map(({ id }) => id));
  const edits = saved.flatMap((one) => {
    const now = pairs.get(one.id);
    return now ? plan.edit(one, now) : [];
  });
  const creates = saved.filter(({ id }) => !pairs.has(id)).flatMap(plan.create);
  const surplus = current.filter(({ id }) => !matched.has(id));
  const deletes = deletesSurplus ? surplus.map(plan.remove) : [];
  const { steps, left, overflow } = fitUnderLimit(creates, deletes, limit - current.length);
  for (const { name } of overflow) context.lose(type, name, { code: 'noRoom', limit });
  return [...edits, ...steps, ...left];
};

/** The ids that matched, for the map of the restore. */
export const idsOf = (pairs: Map<string, { id: string }>): Ids =>
  Object.fromEntries([...pairs].map(([oldId, { id }]) => [oldId, id]));

import type { Queryable } from '../../../db/connect.ts';
import { listGivenIds } from '../../servers/restored-ids/queries.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import { type RestoredSort, restoredSorts } from '../../servers/table.ts';
import { liveThings } from '../plan/live-things.ts';
import type { UndoThings } from './live-undo.ts';
import { type KnownIds, type SortIds, sortOfType } from './rename.ts';
import type { UndoInput, UndoScope } from './scope.ts';

/** Which ids restores gave to what they made. */
export type GivenIds = {
  list(sort: RestoredSort, oldIds: string[]): Promise<{ oldId: string; newId: string }[]>;
  /** The id by which each of them lives. */
  resolve(
    sort: RestoredSort,
    known: { ids: readonly string[]; liveIds: ReadonlySet<string> },
  ): Promise<Record<string, string>>;
};

export const givenIdsOf = (db: Queryable, accountId: string): GivenIds => ({
  list: (sort, ids) => listGivenIds(db, accountId, sort, ids, { onlyCreated: true }),
  resolve: (sort, known) =>
    resolveRestoredIds(db, accountId, sort, { ...known, onlyCreated: true }),
});

/**
 * By which ids scope and backup are to be renamed. What an earlier undo of the same acts made again counts as
 * what it was: so an undo that is repeated goes on, and makes nothing twice.
 */
export const findLiveIds = async (given: GivenIds, input: UndoInput): Promise<UndoThings> => {
  const { backup, current } = input;
  const ids: KnownIds = { again: {}, saved: {} };
  const { scope, aliases } = await mergeDeletedAgain(given, input.scope);
  for (const sort of restoredSorts) {
    const live = new Set(liveThings(current, sort).map(({ id }) => id));
    const lost = scope.deleted.filter(({ type }) => sortOfType[type] === sort).map(({ id }) => id);
    const resolve = (all: string[], liveIds: ReadonlySet<string>) =>
      given.resolve(sort, { ids: all, liveIds });
    const again = await resolve(lost, live);
    const stillLost = lost.filter((id) => again[id] === undefined);
    const aliased = Object.entries(aliases[sort] ?? {}).map(([id, first]) => [
      ...[id, again[first] ?? first],
    ]);
    ids.again[sort] = { ...again, ...Object.fromEntries(aliased) };
    const saved = (backup[sort] ?? []).map(({ id }) => id);
    ids.saved[sort] = await resolve(saved, new Set([...live, ...stillLost]));
  }
  return { scope, backup, current, ids };
};

/**
 * What an undo made again, and attackers deleted once more, is one thing: it is known by its first id,
 * which the backup has, and its last state.
 */
const mergeDeletedAgain = async (
  given: GivenIds,
  scope: UndoScope,
): Promise<{ scope: UndoScope; aliases: SortIds }> => {
  const aliases: SortIds = {};
  for (const sort of restoredSorts) {
    const lost = new Set(
      scope.deleted.filter(({ type }) => sortOfType[type] === sort).map(({ id }) => id),
    );
    if (lost.size < 2) continue;
    const rows = await given.list(sort, [...lost]);
    const firstOf = new Map(
      rows.filter(({ newId }) => lost.has(newId)).map(({ newId, oldId }) => [newId, oldId]),
    );
    const rootOf = (id: string, seen = new Set([id])): string => {
      const older = firstOf.get(id);
      return older === undefined || seen.has(older) ? id : rootOf(older, seen.add(older));
    };
    aliases[sort] = Object.fromEntries([...firstOf.keys()].map((id) => [id, rootOf(id)]));
  }
  const deleted = new Map<string, UndoScope['deleted'][number]>();
  for (const one of scope.deleted) {
    const sort = sortOfType[one.type];
    const id = (sort && aliases[sort]?.[one.id]) ?? one.id;
    const known = deleted.get(`${one.type} ${id}`);
    deleted.set(`${one.type} ${id}`, {
      ...known,
      ...one,
      id,
      last: { ...known?.last, ...one.last },
    });
  }
  return { scope: { ...scope, deleted: [...deleted.values()] }, aliases };
};

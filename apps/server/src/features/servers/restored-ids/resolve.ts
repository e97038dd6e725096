import type { Queryable } from '../../../db/connect.ts';
import type { RestoredSort } from '../table.ts';
import { listGivenIds } from './queries.ts';

/** More links than this have never been needed; it ends the walk whatever the rows say. */
const longestChain = 50;

/**
 * For each of the ids of a backup the id by which its thing lives now: its own, or the one that restores
 * gave it, also over several of them (X became Y, Y became Z). No two things live by the same id. What
 * does not live is left out. `onlyCreated` leaves out what a restore only took for the backup's, such as a
 * role that has the same name.
 */
export const resolveRestoredIds = async (
  db: Queryable,
  ownerId: string,
  ofSort: RestoredSort,
  {
    ids,
    liveIds,
    onlyCreated = false,
  }: { ids: readonly string[]; liveIds: ReadonlySet<string>; onlyCreated?: boolean },
): Promise<Record<string, string>> => {
  const own = ids.filter((id) => liveIds.has(id));
  const resolved = Object.fromEntries(own.map((id) => [id, id]));
  const taken = new Set(own);
  /** The ids that each thing was last seen by, the newest first. */
  let walks = new Map(ids.filter((id) => !liveIds.has(id)).map((id) => [id, [id]]));
  const seen = new Set<string>(ids);
  for (let link = 0; walks.size > 0 && link < longestChain; link++) {
    const given = Map.groupBy(
      await listGivenIds(db, ownerId, ofSort, [...walks.values()].flat(), { onlyCreated }),
      (row) => row.oldId,
    );
    const next: typeof walks = new Map();
    for (const [id, names] of walks) {
      const later = names.flatMap((name) => given.get(name)?.map((row) => row.newId) ?? []);
      const live = later.find((name) => liveIds.has(name) && !taken.has(name));
      const unseen = later.filter((name) => !liveIds.has(name) && !seen.has(name));
      if (live !== undefined) {
        resolved[id] = live;
        taken.add(live);
      } else if (unseen.length > 0) next.set(id, unseen);
    }
    for (const name of [...next.values()].flat()) seen.add(name);
    walks = next;
  }
  return resolved;
};

import type { Queryable } from '../../../db/connect.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import { type RestoredSort, restoredSorts } from '../../servers/table.ts';
import { emptyIdMap, type IdMap } from '../plan/id-map.ts';
import { liveThings } from '../plan/live-things.ts';
import type { GuildState } from '../plan/step.ts';
import { findUnfinishedIds, type RestoreTarget } from '../queries/restored-ids.ts';

/** What the planner knows of earlier restores. */
export const readEarlierIds = async (
  db: Queryable,
  target: RestoreTarget,
  snapshot: Snapshot,
  current: GuildState,
): Promise<{ earlierIds: IdMap; unfinishedIds: IdMap }> => {
  const earlierIds = emptyIdMap();
  for (const sort of restoredSorts) {
    const ids = idsOf(snapshot, sort);
    const liveIds = new Set(liveThings(current, sort).map(({ id }) => id));
    // What was matched by its name before is matched by it again, or not at all: by now it might gain more.
    const known = { ids, liveIds, onlyCreated: true };
    earlierIds[sort] = await resolveRestoredIds(db, target.accountId, sort, known);
  }
  return { earlierIds, unfinishedIds: await findUnfinishedIds(db, target) };
};

const idsOf = (snapshot: Snapshot, sort: RestoredSort): string[] =>
  (snapshot[sort] ?? []).map(({ id }) => id);

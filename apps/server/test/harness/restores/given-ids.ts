import { type IdMap, sortCreatedBy } from '../../../src/features/restores/plan/id-map.ts';
import type { Step } from '../../../src/features/restores/plan/step.ts';
import type { GivenIds } from '../../../src/features/restores/undo/live-ids.ts';

/** Which ids restores gave, as the database has them. */
export const createGivenIds = () => {
  const rows: { sort: string; oldId: string; newId: string }[] = [];
  const list: GivenIds['list'] = async (sort, oldIds) =>
    rows.filter((row) => row.sort === sort && oldIds.includes(row.oldId)).toReversed();
  const resolve: GivenIds['resolve'] = async (sort, { ids, liveIds }) => {
    const resolved: Record<string, string> = {};
    for (const id of ids) {
      let names = [id];
      for (let link = 0; link < 10 && names.length > 0; link++) {
        const live = names.find((name) => liveIds.has(name));
        if (live !== undefined) {
          resolved[id] = live;
          break;
        }
        names = (await list(sort, names)).map(({ newId }) => newId);
      }
    }
    return resolved;
  };
  return {
    ...{ list, resolve },
    /** What a plan made. */
    record(steps: readonly Step[], idMap: IdMap): void {
      for (const { action } of steps) {
        const sort = sortCreatedBy(action);
        if (!sort || !('oldId' in action)) continue;
        const newId = idMap[sort][action.oldId];
        if (newId !== undefined) rows.push({ sort, oldId: action.oldId, newId });
      }
    },
  };
};

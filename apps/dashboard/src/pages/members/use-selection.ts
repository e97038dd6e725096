import { useState } from 'react';
import type { Member } from '../../queries/records.ts';

/** Members that are selected on the page that is shown; turning the page or filtering ends it. */
export const useSelection = (shown: Member[], place: string) => {
  const [selected, setSelected] = useState<{ place: string; ids: ReadonlySet<string> }>();
  const ids = selected?.place === place ? selected.ids : new Set<string>();
  const set = (next: Iterable<string>) => setSelected({ place, ids: new Set(next) });
  const members = shown.filter(({ id }) => ids.has(id));
  return {
    members,
    isAll: shown.length > 0 && members.length === shown.length,
    has: ({ id }: Member) => ids.has(id),
    toggle: ({ id }: Member) =>
      set(ids.has(id) ? [...ids].filter((one) => one !== id) : [...ids, id]),
    toggleAll: (isWanted: boolean) => set(isWanted ? shown.map(({ id }) => id) : []),
    clear: () => set([]),
  };
};

export type MemberSelection = ReturnType<typeof useSelection>;

import { useRef } from 'react';
import { useSearchParams } from 'react-router';
import type { ActFilter } from '../../queries/protection.ts';

/** Which acts are listed, kept in the address; and the list itself, to lead to it. */
export const useActFilter = () => {
  const [search, setSearch] = useSearchParams();
  const list = useRef<HTMLDivElement>(null);
  const [by, act] = [search.get('by'), search.get('act')];
  const filter: ActFilter = { ...(by && { executorId: by }), ...(act && { action: act }) };
  // Both at once: of two changes in a row, the second would be made to the address before the first.
  const setFilter = ({ executorId, action }: ActFilter) =>
    setSearch((before) => {
      before.delete('page');
      setOrDelete(before, 'by', executorId);
      setOrDelete(before, 'act', action);
      return before;
    });
  return { filter, setFilter, list };
};

const setOrDelete = (search: URLSearchParams, name: string, value: string | undefined): void => {
  if (value) search.set(name, value);
  else search.delete(name);
};

import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useSearchParams } from 'react-router';

const waitMs = 300;
const longestSearch = 100;

export type PullableFilter = 'all' | 'yes' | 'no';

const filterOf = (text: string | null): PullableFilter =>
  text === 'yes' || text === 'no' ? text : 'all';

/** What is looked for stands in the address, so that it can be kept and passed on. */
export const useMemberFilter = () => {
  const [search, setSearch] = useSearchParams();
  const [typed, setTyped] = useState(search.get('search') ?? '');
  const put = (name: string, value: string) => {
    // As it is now: what was typed comes late, and must not undo what was chosen meanwhile.
    const wanted = new URLSearchParams(location.search);
    if (value === '') wanted.delete(name);
    else wanted.set(name, value);
    // Another question: its answer begins on the first page.
    wanted.delete('page');
    setSearch(wanted, { replace: true });
  };
  const putSoon = useDebouncedCallback((text: string) => put('search', text.trim()), waitMs);
  return {
    typed,
    type: (text: string) => {
      const short = [...text].slice(0, longestSearch).join('');
      setTyped(short);
      putSoon(short);
    },
    search: search.get('search') ?? '',
    pullable: filterOf(search.get('pullable')),
    choosePullable: (wanted: PullableFilter) => put('pullable', wanted === 'all' ? '' : wanted),
  };
};

export type MemberFilter = ReturnType<typeof useMemberFilter>;

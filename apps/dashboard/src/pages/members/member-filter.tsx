import { Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useOncePaused } from '../../components/use-once-paused.ts';
import { choicesOf, formatCount, keysOf } from '../../labels/format.ts';
import type { MemberSort } from '../../queries/records.ts';

type Counts = { members: number; pullableMembers: number };

const choicesWith = ({ members, pullableMembers }: Counts) =>
  [
    { value: 'all', label: `All ${formatCount(members)}` },
    { value: 'yes', label: `Can return ${formatCount(pullableMembers)}` },
    { value: 'no', label: `Cannot ${formatCount(members - pullableMembers)}` },
  ] satisfies { value: PullableFilter; label: string }[];

type FilterBarProps = { filter: MemberFilter; counts: Counts };

export const FilterBar = ({ filter, counts }: FilterBarProps) => (
  <Group mb="md" gap="sm">
    <TextInput
      aria-label="Search members"
      placeholder="Name, or exact platform ID"
      value={filter.typed}
      onChange={({ currentTarget }) => filter.type(currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden />}
      type="search"
      flex={1}
      miw={200}
    />
    <SegmentedControl
      aria-label="Whether they can be brought back"
      data={choicesWith(counts)}
      value={filter.pullable}
      onChange={filter.choosePullable}
      size="xs"
      w={{ base: '100%', sm: 'auto' }}
      flex={{ base: '0 1 auto', sm: 'none' }}
      maw="100%"
    />
    <Select
      aria-label="Order of the members"
      data={choicesOf(sortLabels)}
      value={filter.sort}
      onChange={(chosen) => filter.chooseSort(sortOf(chosen))}
      allowDeselect={false}
      w={{ base: '100%', sm: 210 }}
    />
  </Group>
);

const sortLabels: Record<MemberSort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name A–Z',
  nameReversed: 'Name Z–A',
  youngestAccount: 'Youngest accounts',
  oldestAccount: 'Oldest accounts',
};

const sortOf = (text: string | null): MemberSort =>
  keysOf(sortLabels).find((sort) => sort === text) ?? 'newest';

const maxSearchLength = 100;

type PullableFilter = 'all' | 'yes' | 'no';

const filterOf = (text: string | null): PullableFilter =>
  text === 'yes' || text === 'no' ? text : 'all';

/** The filter is in the address, so that it can be kept and shared. */
export const useMemberFilter = () => {
  const [search, setSearch] = useSearchParams();
  const [typed, setTyped] = useState(search.get('search') ?? '');
  const put = (name: string, value: string) => {
    // Read at this moment: typing is debounced and must not undo a choice made meanwhile.
    const next = new URLSearchParams(location.search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    next.delete('page');
    setSearch(next, { replace: true });
  };
  const putSoon = useOncePaused((text) => put('search', text.trim()));
  const chosen = { search: search.get('search') ?? '', pullable: filterOf(search.get('pullable')) };
  return {
    ...chosen,
    hasFilter: chosen.search !== '' || chosen.pullable !== 'all',
    typed,
    type: (text: string) => {
      const short = [...text].slice(0, maxSearchLength).join('');
      setTyped(short);
      putSoon(short);
    },
    sort: sortOf(search.get('sort')),
    chooseSort: (chosen: MemberSort) => put('sort', chosen === 'newest' ? '' : chosen),
    choosePullable: (chosen: PullableFilter) => put('pullable', chosen === 'all' ? '' : chosen),
  };
};

type MemberFilter = ReturnType<typeof useMemberFilter>;

/** As the service takes it. */
export const queryOf = ({ sort, search, pullable }: MemberFilter) => ({
  sort,
  ...(search && { search }),
  ...(pullable !== 'all' && { pullable: pullable === 'yes' }),
});

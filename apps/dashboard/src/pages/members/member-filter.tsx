import { Group, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';

const choices: { value: PullableFilter; label: string }[] = [
  { value: 'all', label: 'Everybody' },
  { value: 'yes', label: 'Can be brought back' },
  { value: 'no', label: 'Cannot' },
];

export const FilterBar = ({ filter }: { filter: MemberFilter }) => (
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
      data={choices}
      value={filter.pullable}
      onChange={filter.choosePullable}
      size="xs"
    />
  </Group>
);

const debounceMs = 300;
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
  const putSoon = useDebouncedCallback((text: string) => put('search', text.trim()), debounceMs);
  return {
    typed,
    type: (text: string) => {
      const short = [...text].slice(0, maxSearchLength).join('');
      setTyped(short);
      putSoon(short);
    },
    search: search.get('search') ?? '',
    pullable: filterOf(search.get('pullable')),
    choosePullable: (chosen: PullableFilter) => put('pullable', chosen === 'all' ? '' : chosen),
  };
};

type MemberFilter = ReturnType<typeof useMemberFilter>;

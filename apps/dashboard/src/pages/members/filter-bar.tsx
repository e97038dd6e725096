import { Group, SegmentedControl, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { MemberFilter, PullableFilter } from './use-member-filter.ts';

const choices: { value: PullableFilter; label: string }[] = [
  { value: 'all', label: 'Everybody' },
  { value: 'yes', label: 'Can be called back' },
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
      aria-label="Whether they can be called back"
      data={choices}
      value={filter.pullable}
      onChange={filter.choosePullable}
      size="xs"
    />
  </Group>
);

import { Anchor, Badge, Checkbox, Group, Stack, Text } from '@mantine/core';
import { isolatedName, Moment, Name, Picture } from '../../components/display.tsx';
import { type Column, RecordTable } from '../../components/list.tsx';
import type { Member } from '../../queries/records.ts';
import type { useMemberColumns } from './member-columns.tsx';
import { SelectAll } from './select-all.tsx';
import type { MemberSelection } from './use-selection.ts';

type MemberTableProps = {
  members: Member[];
  columns: ReturnType<typeof useMemberColumns>['shown'];
  selection: MemberSelection;
  onOpen: (member: Member) => void;
};

export const MemberTable = ({ members, columns, selection, onOpen }: MemberTableProps) => {
  const all: Column<Member>[] = [
    {
      header: 'Select',
      isSelection: true,
      headerCell: <SelectAll selection={selection} visibleFrom="sm" />,
      cell: (member) => (
        <Checkbox
          aria-label={`Select ${isolatedName(member.displayName)}`}
          checked={selection.has(member)}
          onChange={() => selection.toggle(member)}
        />
      ),
    },
    { header: 'Member', cell: (member) => <Person member={member} onOpen={onOpen} /> },
    ...columns.filter(({ isEmpty }) => !isEmpty || !members.every(isEmpty)),
  ];
  return <RecordTable caption="Verified members" columns={all} rows={members} />;
};

type PersonProps = { member: Member; onOpen: (member: Member) => void };

/** On a phone two lines have what is in columns elsewhere. */
const Person = ({ member, onOpen }: PersonProps) => (
  <Group gap="sm" wrap="nowrap">
    <Picture src={member.avatar} size={36} />
    <Stack gap={0} ta="left" miw={0}>
      <Group gap={6} style={{ rowGap: 2 }}>
        <Anchor
          component="button"
          type="button"
          size="sm"
          fw={500}
          ta="left"
          onClick={() => onOpen(member)}
        >
          <Name>{member.displayName}</Name>
        </Anchor>
        <Badge size="sm" color={member.pullable ? 'green' : 'gray'} hiddenFrom="sm">
          {member.pullable ? 'Can be brought back' : 'Cannot be brought back'}
        </Badge>
      </Group>
      <Group gap={6} style={{ rowGap: 2 }}>
        <Text size="xs" c="dimmed">
          <Name>{member.username}</Name>
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          verified <Moment at={member.verifiedAt} />
        </Text>
        {member.leftAt !== null && (
          <Badge size="sm" color="gray">
            Left <Moment at={member.leftAt} />
          </Badge>
        )}
      </Group>
    </Stack>
  </Group>
);

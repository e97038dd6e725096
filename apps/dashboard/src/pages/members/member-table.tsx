import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { Moment, Name, Picture } from '../../components/display.tsx';
import { type Column, RecordTable } from '../../components/list.tsx';
import { countryLabel } from '../../labels/countries.ts';
import { pullableLabel, tokenLabels } from '../../labels/pulls.ts';
import type { Member } from '../../queries/records.ts';

type MemberTableProps = { members: Member[]; onOpen: (member: Member) => void };

export const MemberTable = ({ members, onOpen }: MemberTableProps) => {
  const columns: Column<Member>[] = [
    { header: 'Member', cell: (member) => <Person member={member} onOpen={onOpen} /> },
    { header: 'From', cell: locationLabel },
    { header: 'Checks', cell: (member) => isFlagged(member) && <MemberFlags member={member} /> },
    { header: 'Token', cell: ({ tokenStatus }) => tokenLabels[tokenStatus] },
    { header: 'Can be brought back', cell: (member) => <Pullable member={member} /> },
    { header: 'Verified', cell: ({ verifiedAt }) => <Moment at={verifiedAt} /> },
  ];
  return <RecordTable caption="Verified members" columns={columns} rows={members} />;
};

type PersonProps = { member: Member; onOpen: (member: Member) => void };

const Person = ({ member, onOpen }: PersonProps) => (
  <Group gap="sm" wrap="nowrap">
    <Picture src={member.avatar} size={36} />
    <Stack gap={0} ta="left" miw={0}>
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
      <Text size="xs" c="dimmed">
        <Name>{member.username}</Name>
      </Text>
      {member.leftAt !== null && (
        <Badge color="gray" mt={4}>
          left the server
        </Badge>
      )}
    </Stack>
  </Group>
);

const locationLabel = ({ country, region }: Member): string =>
  country === null ? '–' : [countryLabel(country), region].filter(Boolean).join(', ');

const Pullable = ({ member }: { member: Member }) =>
  member.pullable ? (
    <Badge color="green">yes</Badge>
  ) : (
    <Text span size="sm" c="dimmed">
      {pullableLabel(member)}
    </Text>
  );

export const isFlagged = ({ isVpn, isAlt }: Member): boolean => isVpn || isAlt;

/** What the checks noticed when they verified. */
export const MemberFlags = ({ member: { isVpn, isAlt } }: { member: Member }) => (
  <Group gap={6}>
    {isVpn && <Badge color="orange">VPN</Badge>}
    {isAlt && <Badge color="orange">second account</Badge>}
  </Group>
);

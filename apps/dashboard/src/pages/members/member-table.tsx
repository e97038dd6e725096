import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { Picture } from '../../parts/picture.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { countryWords } from '../rules/countries.ts';
import { isFlagged, MemberFlags } from './member-flags.tsx';
import { type Member, pullableWords, tokenWords } from './pullable-words.ts';

type MemberTableProps = { members: Member[]; onOpen: (member: Member) => void };

export const MemberTable = ({ members, onOpen }: MemberTableProps) => {
  const columns: Column<Member>[] = [
    { header: 'Member', cell: (member) => <Person member={member} onOpen={onOpen} /> },
    { header: 'From', cell: placeWords },
    { header: 'Checks', cell: (member) => isFlagged(member) && <MemberFlags member={member} /> },
    { header: 'Token', cell: ({ tokenStatus }) => tokenWords[tokenStatus] },
    { header: 'Can be called back', cell: (member) => <Pullable member={member} /> },
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
    </Stack>
  </Group>
);

const placeWords = ({ country, region }: Member): string =>
  country === null ? '–' : [countryWords(country), region].filter(Boolean).join(', ');

const Pullable = ({ member }: { member: Member }) =>
  member.pullable ? (
    <Badge variant="light" color="green" tt="none">
      yes
    </Badge>
  ) : (
    <Text span size="sm" c="dimmed">
      {pullableWords(member)}
    </Text>
  );

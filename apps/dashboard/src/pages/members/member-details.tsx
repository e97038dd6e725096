import { Box, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { Picture } from '../../parts/picture.tsx';
import { countryWords } from '../rules/countries.ts';
import { MemberActs } from './member-acts.tsx';
import { isFlagged, MemberFlags } from './member-flags.tsx';
import { type Member, pullableWords, tokenWords } from './pullable-words.ts';

type MemberDetailsProps = { member: Member | undefined; onClose: () => void };

export const MemberDetails = ({ member, onClose }: MemberDetailsProps) => (
  <Drawer opened={member !== undefined} onClose={onClose} position="right" size="md" title="Member">
    {member && <Details key={member.id} member={member} />}
  </Drawer>
);

const Details = ({ member }: { member: Member }) => (
  <Stack gap="lg">
    <Group gap="md" wrap="nowrap">
      <Picture src={member.avatar} size={56} />
      <Stack gap={0} miw={0}>
        <Title order={3} size="h4">
          <Name>{member.displayName}</Name>
        </Title>
        <Text c="dimmed">
          <Name>{member.username}</Name>
        </Text>
      </Stack>
    </Group>
    <Box component="dl" m={0}>
      {factsOf(member).map(({ label, value }) => (
        <Fact key={label} label={label} value={value} />
      ))}
    </Box>
    <MemberActs member={member} />
  </Stack>
);

type FactProps = { label: string; value: ReactNode };

const Fact = ({ label, value }: FactProps) => (
  <Group justify="space-between" align="baseline" wrap="nowrap" gap="md" py={6}>
    <Text component="dt" size="sm" c="dimmed" flex="none" maw="50%">
      {label}
    </Text>
    <Text component="dd" m={0} size="sm" ta="right" className="holdfast-number">
      {value}
    </Text>
  </Group>
);

const factsOf = (member: Member): FactProps[] => [
  { label: 'Platform ID', value: member.platformId },
  { label: 'Account made', value: <Moment at={member.accountCreatedAt} never="unknown" isExact /> },
  { label: 'Verified', value: <Moment at={member.verifiedAt} isExact /> },
  { label: 'Agreed to come back', value: <Moment at={member.consentedAt} never="no" isExact /> },
  { label: 'Can be called back', value: pullableWords(member) },
  { label: 'Token', value: tokenWords[member.tokenStatus] },
  { label: 'Country', value: member.country ? countryWords(member.country) : 'unknown' },
  { label: 'Region', value: member.region ?? 'unknown' },
  { label: 'Network', value: member.asn === null ? 'unknown' : `AS${member.asn}` },
  {
    label: 'Seen by the checks',
    value: isFlagged(member) ? <MemberFlags member={member} /> : 'nothing',
  },
  { label: 'Fingerprint', value: member.fingerprint ?? 'unknown' },
];

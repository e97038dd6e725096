import { Box, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { type Fact, Moment, Name, Picture } from '../../components/display.tsx';
import { Section, TextLink } from '../../components/page.tsx';
import { countryLabel } from '../../labels/countries.ts';
import { pullableLabel, tokenLabels } from '../../labels/pulls.ts';
import type { Member } from '../../queries/records.ts';
import { MemberActions } from './member-actions.tsx';
import { isFlagged, MemberFlags } from './member-columns.tsx';

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
    <Text size="sm">
      <TextLink to={member.id}>Attempts, roles and backups</TextLink>
    </Text>
    <FactList member={member} />
    <MemberActions member={member} />
  </Stack>
);

/** On the member's own page. */
export const MemberFacts = ({ member }: { member: Member }) => (
  <Section title="About them" padding="md">
    <Stack gap="lg">
      <FactList member={member} />
      <MemberActions member={member} />
    </Stack>
  </Section>
);

const FactList = ({ member }: { member: Member }) => (
  <Box component="dl" m={0}>
    {factsOf(member).map(({ label, value }) => (
      <FactLine key={label} label={label} value={value} />
    ))}
  </Box>
);

const FactLine = ({ label, value }: Fact) => (
  <Group justify="space-between" align="baseline" wrap="nowrap" gap="md" py={6}>
    <Text component="dt" size="sm" c="dimmed" flex="none" maw="50%">
      {label}
    </Text>
    <Text component="dd" m={0} size="sm" ta="right" className="holdfast-number">
      {value}
    </Text>
  </Group>
);

const factsOf = (member: Member): Fact[] => [
  { label: 'Platform ID', value: member.platformId },
  {
    label: 'Account created',
    value: <Moment at={member.accountCreatedAt} never="unknown" isExact />,
  },
  { label: 'Verified', value: <Moment at={member.verifiedAt} isExact /> },
  { label: 'Left the server', value: <Moment at={member.leftAt} never="no" isExact /> },
  {
    label: 'Agreed to be brought back',
    value: <Moment at={member.consentedAt} never="no" isExact />,
  },
  { label: 'Can be brought back', value: pullableLabel(member) },
  { label: 'Token', value: tokenLabels[member.tokenStatus] },
  { label: 'Country', value: member.country ? countryLabel(member.country) : 'unknown' },
  { label: 'Region', value: member.region ?? 'unknown' },
  { label: 'Network', value: member.asn === null ? 'unknown' : `AS${member.asn}` },
  {
    label: 'Noticed by the checks',
    value: isFlagged(member) ? <MemberFlags member={member} /> : 'nothing',
  },
  { label: 'Fingerprint', value: member.fingerprint ?? 'unknown' },
];

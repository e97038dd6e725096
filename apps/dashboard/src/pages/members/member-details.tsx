import { Box, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { type Fact, Moment, Name, Picture } from '../../components/display.tsx';
import { Section, TextLink } from '../../components/page.tsx';
import { countryLabel } from '../../labels/countries.ts';
import { pullableLabel } from '../../labels/pulls.ts';
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
    <FactList facts={[...standingOf(member), ...factsOf(member)]} />
    <Stack gap="md">
      <Title order={3} size="h5">
        Block or allow
      </Title>
      <MemberActions member={member} />
    </Stack>
  </Stack>
);

/** On the member's own page, below how they stand. */
export const MemberFacts = ({ member }: { member: Member }) => (
  <Section title="Details" padding="md">
    <FactList facts={factsOf(member)} />
  </Section>
);

const FactList = ({ facts }: { facts: Fact[] }) => (
  <Box component="dl" m={0}>
    {facts.map(({ label, value }) => (
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

/** What the head of the member's own page says. */
const standingOf = (member: Member): Fact[] =>
  [
    { label: 'Verified', value: exactTime(member.verifiedAt) },
    { label: 'Left the server', value: exactTime(member.leftAt) },
    { label: 'Can be brought back', value: <BroughtBack member={member} /> },
  ].filter(({ value }) => value !== null);

const factsOf = (member: Member): Fact[] =>
  [
    { label: 'Platform ID', value: member.platformId },
    { label: 'Account created', value: exactTime(member.accountCreatedAt) },
    { label: 'Country', value: member.country && countryLabel(member.country) },
    { label: 'Region', value: member.region },
    { label: 'Network', value: member.asn === null ? null : `AS${member.asn}` },
    {
      label: 'Noticed by the checks',
      value: isFlagged(member) ? <MemberFlags member={member} /> : 'Nothing',
    },
    { label: 'Device', value: member.fingerprint },
  ].filter(({ value }) => value !== null);

const exactTime = (at: string | null) => at && <Moment at={at} isExact />;

/** Their consent and permission in one line. */
const BroughtBack = ({ member }: { member: Member }) => (
  <>
    {pullableLabel(member)}
    {member.consentedAt !== null && (
      <>
        {member.pullable ? ', agreed ' : '; agreed '}
        <Moment at={member.consentedAt} />
      </>
    )}
    {member.pullable && member.tokenStatus === 'EXPIRED' && '; their permission is renewed first'}
  </>
);

import {
  Anchor,
  Button,
  Group,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Tabs,
  Text,
  ThemeIcon,
} from '@mantine/core';
import { IconExternalLink, IconShieldCheck, IconShieldOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { CopyField } from '../../components/copy-field.tsx';
import { Figure } from '../../components/display.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Section } from '../../components/page.tsx';
import { formatCount, formatPercent } from '../../labels/format.ts';
import { protectionsOf } from '../../labels/protections.ts';
import { verifyButtonHtml, verifyInvitation, verifyLink } from '../../labels/verify-link.ts';
import { accountQuery } from '../../queries/account.ts';
import type { Analytics, Server } from '../../queries/records.ts';
import { analyticsQuery } from '../../queries/servers.ts';

/** The verify link as a link, a message and a button. */
export const VerifyCard = ({ server: { id, name } }: { server: Server }) => {
  const link = verifyLink(id);
  return (
    <Section title="Verify link" anchor="verify-link">
      <Stack gap="md">
        <Text c="dimmed">
          Put it where newcomers see it first. People who verify through it get access and appear
          under Members.
        </Text>
        <Tabs defaultValue="link" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="link">Link</Tabs.Tab>
            <Tabs.Tab value="message">Message</Tabs.Tab>
            <Tabs.Tab value="embed">Button</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="link">
            <CopyField label="Link" value={link} />
          </Tabs.Panel>
          <Tabs.Panel value="message">
            <CopyField label="For a welcome channel" value={verifyInvitation(link, name)} />
          </Tabs.Panel>
          <Tabs.Panel value="embed">
            <CopyField label="HTML for your own site" value={verifyButtonHtml(link, name)} />
          </Tabs.Panel>
        </Tabs>
        <Group>
          <Button
            component="a"
            href={link}
            target="_blank"
            rel="noopener"
            variant="default"
            size="xs"
            leftSection={<IconExternalLink size={14} aria-hidden />}
          >
            See it as a newcomer
          </Button>
        </Group>
      </Stack>
    </Section>
  );
};

const choices = [
  { value: '24h', label: '24 hours' },
  { value: '30d', label: '30 days' },
];

/** How many newcomers came, and how many verified. */
export const NewcomersCard = ({ serverId }: { serverId: string }) => {
  const [period, setPeriod] = useState('24h');
  const analytics = useQuery(analyticsQuery(serverId, period));
  return (
    <Section title="Newcomers" more={{ to: `/servers/${serverId}/analytics`, label: 'Analytics' }}>
      <Stack gap="md">
        <SegmentedControl
          data={choices}
          value={period}
          onChange={setPeriod}
          size="xs"
          aria-label="Period"
          style={{ alignSelf: 'flex-start' }}
        />
        <Loaded query={analytics} height={110}>
          {(found) => <Numbers analytics={found} />}
        </Loaded>
      </Stack>
    </Section>
  );
};

const Numbers = ({ analytics: { funnel, totals } }: { analytics: Analytics }) => (
  <Stack gap="sm">
    <SimpleGrid cols={{ base: 2, xs: 4 }}>
      <Figure label="Came" value={formatCount(funnel.visited)} />
      <Figure label="Signed in" value={formatCount(funnel.authorized)} />
      <Figure label="Verified" value={formatCount(totals.verified)} />
      <Figure label="Blocked" value={formatCount(totals.blocked)} />
    </SimpleGrid>
    <Text size="sm" c="dimmed">
      {totals.attempts === 0
        ? 'Nobody came in this period.'
        : `${formatPercent(totals.conversionRate)} of all attempts were verified.`}
    </Text>
  </Stack>
);

export const ProtectionCard = ({ server }: { server: Server }) => {
  const { data: account } = useQuery(accountQuery);
  const protections = protectionsOf(server, account?.limits);
  return (
    <Section
      title="Protections"
      more={{ to: `/servers/${server.id}/protection`, label: 'Protection' }}
    >
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {protections.filter(isShown).map((protection) => (
          <Line key={protection.label} serverId={server.id} protection={protection} />
        ))}
        <OffLine serverId={server.id} protections={protections} />
      </Stack>
    </Section>
  );
};

type Protections = ReturnType<typeof protectionsOf>;

/** What is on, or was to be and is not. */
const isShown = ({ isOn, state }: Protections[number]): boolean => isOn || state !== 'Off';

/** How many are off, and where the first of them is switched on. */
const OffLine = ({ serverId, protections }: { serverId: string; protections: Protections }) => {
  const off = protections.filter((protection) => !isShown(protection));
  const [first] = off;
  if (!first) return null;
  return (
    <Group component="li" justify="space-between" gap="sm">
      <Text size="sm" c="dimmed">
        {off.length} of {protections.length} off
      </Text>
      <Anchor component={Link} to={`/servers/${serverId}${first.path}`} size="sm">
        {first.path === '/protection' ? 'Turn on protection' : 'Choose checks'}
      </Anchor>
    </Group>
  );
};

type LineProps = { serverId: string; protection: Protections[number] };

const Line = ({ serverId, protection: { label, isOn, state, path } }: LineProps) => {
  const Glyph = isOn ? IconShieldCheck : IconShieldOff;
  return (
    <Group component="li" justify="space-between" gap="sm" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <ThemeIcon
          variant="light"
          color={isOn ? 'green' : 'gray'}
          size="sm"
          radius="xl"
          aria-hidden
        >
          <Glyph size={14} />
        </ThemeIcon>
        <Anchor component={Link} to={`/servers/${serverId}${path}`} size="sm">
          {label}
        </Anchor>
      </Group>
      <Text size="sm" c={isOn ? undefined : 'dimmed'} ta="right">
        {state}
      </Text>
    </Group>
  );
};

import { Anchor, Badge, Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Section } from '../../components/page.tsx';
import { plural } from '../../labels/format.ts';
import { accountQuery } from '../../queries/account.ts';
import type { Limits, Server } from '../../queries/records.ts';
import type { RuleList } from '../../queries/rules.ts';
import { useServer } from '../../queries/servers.ts';

type Check = { name: string; to: string; description: string; isOn: boolean };

/** A check that the plan lacks is off, whatever the settings say. */
const checksOf = (server: Server, limits: Limits | undefined): Check[] => {
  const base = `/servers/${server.id}`;
  const { firewallEnabled, vpnBlockEnabled, altDetectEnabled, minAccountAgeDays } = server;
  return [
    {
      name: 'Blacklist',
      to: '/blacklist',
      description: 'Blocks the people on it, on all of your servers.',
      isOn: true,
    },
    {
      name: 'Whitelist',
      to: `${base}/whitelist`,
      description: 'Allows newcomers who match a rule, without the checks below.',
      isOn: true,
    },
    {
      name: 'Firewall',
      to: `${base}/firewall`,
      description: 'Blocks newcomers who match a rule.',
      isOn: firewallEnabled && limits?.hasFirewall === true,
    },
    {
      name: 'VPN',
      to: `${base}/settings#checks`,
      description: 'Blocks connections from VPNs and hosting networks.',
      isOn: vpnBlockEnabled && limits?.hasVpnDetection === true,
    },
    {
      name: 'Second account',
      to: `${base}/settings#checks`,
      description: 'Blocks people who seem to be members already.',
      isOn: altDetectEnabled && limits?.hasAltDetection === true,
    },
    {
      name: 'Account age',
      to: `${base}/settings#checks`,
      description:
        minAccountAgeDays > 0
          ? `Blocks accounts that are younger than ${plural(minAccountAgeDays, 'day')}.`
          : 'Accounts of any age are allowed.',
      isOn: minAccountAgeDays > 0,
    },
  ];
};

/** The checks of a newcomer in their order. */
export const CheckOrder = ({ current }: { current: RuleList['name'] }) => {
  const server = useServer();
  const { data: account } = useQuery(accountQuery);
  const currentPath = `/servers/${server.id}/${current}`;
  return (
    <Section title="Order of the checks" note="First match wins.">
      <List type="ordered" spacing="sm" size="sm">
        {checksOf(server, account?.limits).map(({ name, to, description, isOn }) => (
          <List.Item key={name}>
            <Group gap="xs">
              {to === currentPath ? (
                <Text span size="sm" fw={650} aria-current="page">
                  {name}
                </Text>
              ) : (
                <Anchor component={Link} to={to} size="sm" fw={500}>
                  {name}
                </Anchor>
              )}
              {/* The page itself says whether its own check is on. */}
              {!isOn && to !== currentPath && (
                <Badge color="gray" size="sm">
                  Off
                </Badge>
              )}
            </Group>
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          </List.Item>
        ))}
      </List>
    </Section>
  );
};

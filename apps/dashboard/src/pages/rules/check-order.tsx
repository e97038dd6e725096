import type { Output } from '@holdfast/sdk';
import { Anchor, Badge, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { useAccount } from '../../parts/use-account.ts';
import { type Server, useServer } from '../../parts/use-server.ts';
import { plural } from '../../parts/words.ts';

type Limits = Output<'getAccount'>['limits'];
type Step = { name: string; to: string; words: string; isOn: boolean };

/** What the plan has not is off, whatever the server's settings say. */
const stepsOf = (server: Server, limits: Limits | undefined): Step[] => {
  const base = `/servers/${server.id}`;
  const { firewallEnabled, vpnBlockEnabled, altDetectEnabled, minAccountAgeDays } = server;
  return [
    {
      name: 'Blacklist',
      to: '/blacklist',
      words: 'Whoever is on it is turned away, on all of your servers.',
      isOn: true,
    },
    {
      name: 'Whitelist',
      to: `${base}/whitelist`,
      words: 'Whoever fits comes in, and nothing below is asked.',
      isOn: true,
    },
    {
      name: 'Firewall',
      to: `${base}/firewall`,
      words: 'Whoever fits is turned away.',
      isOn: firewallEnabled && limits?.hasFirewall === true,
    },
    {
      name: 'VPN',
      to: `${base}/settings`,
      words: 'Whoever comes through a VPN or a hosting network is turned away.',
      isOn: vpnBlockEnabled && limits?.hasVpnDetection === true,
    },
    {
      name: 'Second account',
      to: `${base}/settings`,
      words: 'Whoever seems to be a member already is turned away.',
      isOn: altDetectEnabled && limits?.hasAltDetection === true,
    },
    {
      name: 'Account age',
      to: `${base}/settings`,
      words:
        minAccountAgeDays > 0
          ? `Whose account is younger than ${plural(minAccountAgeDays, 'day')} is turned away.`
          : 'Accounts may be of any age.',
      isOn: minAccountAgeDays > 0,
    },
  ];
};

/** What a newcomer is held against, and in which order: the first that speaks decides. */
export const CheckOrder = ({ here }: { here: 'firewall' | 'whitelist' }) => {
  const server = useServer();
  const { data: account } = useAccount();
  const herePath = `/servers/${server.id}/${here}`;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="check-order">
      <Stack gap="sm">
        <Title order={2} size="h4" id="check-order">
          Who comes in
        </Title>
        <Text size="sm" c="dimmed">
          A newcomer is held against these, one after the other. The first that speaks decides.
        </Text>
        <List type="ordered" spacing="sm" size="sm">
          {stepsOf(server, account?.limits).map(({ name, to, words, isOn }) => (
            <List.Item key={name}>
              <Group gap="xs">
                {to === herePath ? (
                  <Text span size="sm" fw={650} aria-current="page">
                    {name}
                  </Text>
                ) : (
                  <Anchor component={Link} to={to} size="sm" fw={500}>
                    {name}
                  </Anchor>
                )}
                {!isOn && (
                  <Badge variant="light" color="gray" size="sm" tt="none">
                    off
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                {words}
              </Text>
            </List.Item>
          ))}
        </List>
      </Stack>
    </Paper>
  );
};

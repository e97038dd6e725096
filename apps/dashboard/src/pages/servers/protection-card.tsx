import { Group, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconShieldCheck, IconShieldOff } from '@tabler/icons-react';
import { useAccount } from '../../parts/use-account.ts';
import type { Server } from '../../parts/use-server.ts';
import { Card } from './card.tsx';
import { type Protection, protectionsOf } from './protections.ts';

export const ProtectionCard = ({ server }: { server: Server }) => {
  const { data: account } = useAccount();
  const protections = protectionsOf(server, account?.limits);
  return (
    <Card title="Protections" more={{ to: `/servers/${server.id}/settings`, label: 'Settings' }}>
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {protections.map((protection) => (
          <Line key={protection.key} protection={protection} />
        ))}
      </Stack>
    </Card>
  );
};

const Line = ({ protection: { label, isOn, state } }: { protection: Protection }) => {
  const Sign = isOn ? IconShieldCheck : IconShieldOff;
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
          <Sign size={14} />
        </ThemeIcon>
        <Text size="sm">{label}</Text>
      </Group>
      <Text size="sm" c={isOn ? undefined : 'dimmed'} ta="right">
        {state}
      </Text>
    </Group>
  );
};

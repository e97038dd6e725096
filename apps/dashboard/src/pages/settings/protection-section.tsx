import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Section } from '../../components/page.tsx';
import type { Server } from '../../queries/records.ts';

/** The two switches are changed where their thresholds are. */
export const ProtectionSection = ({ server }: { server: Server }) => (
  <Section title="Attacks and raids">
    <Group justify="space-between" gap="md">
      <Stack gap={2} flex={1} miw={220}>
        <Text size="sm">
          Attackers are stopped: <b>{server.antiNukeEnabled ? 'yes' : 'no'}</b>
        </Text>
        <Text size="sm">
          Raids are stopped: <b>{server.antiRaidEnabled ? 'yes' : 'no'}</b>
        </Text>
      </Stack>
      <Button component={Link} to={`/servers/${server.id}/protection`} variant="default">
        Open protection
      </Button>
    </Group>
  </Section>
);

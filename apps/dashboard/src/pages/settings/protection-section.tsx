import { Button, Group, Stack } from '@mantine/core';
import { Link } from 'react-router';
import { StatusLine } from '../../components/display.tsx';
import { Section } from '../../components/page.tsx';
import type { Server } from '../../queries/records.ts';

/** The two switches are changed where their thresholds are. */
export const ProtectionSection = ({ server }: { server: Server }) => {
  const { antiNukeEnabled, antiRaidEnabled } = server;
  const isWhole = antiNukeEnabled && antiRaidEnabled;
  return (
    <Section title="Attacks and raids">
      <Group justify="space-between" gap="md">
        <Stack gap={4} flex={1} miw={220}>
          <StatusLine isGood={antiNukeEnabled}>
            {antiNukeEnabled ? 'Attackers are stopped' : 'Attackers are not stopped'}
          </StatusLine>
          <StatusLine isGood={antiRaidEnabled}>
            {antiRaidEnabled ? 'Raids are stopped' : 'Raids are not stopped'}
          </StatusLine>
        </Stack>
        <Button
          component={Link}
          to={`/servers/${server.id}/protection`}
          variant={isWhole ? 'default' : 'filled'}
        >
          {isWhole ? 'Open protection' : 'Turn on protection'}
        </Button>
      </Group>
    </Section>
  );
};

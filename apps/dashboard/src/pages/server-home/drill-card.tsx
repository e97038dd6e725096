import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { LastDrill, StartDrill } from '../../components/fire-drill.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Section } from '../../components/page.tsx';
import { drillsQuery } from '../../queries/drills.ts';

/** How soon an attacker of this server would be stopped, as it was measured last. */
export const DrillCard = ({ serverId }: { serverId: string }) => {
  const query = useQuery(drillsQuery(serverId));
  return (
    <Section
      title="Last fire drill"
      more={{ to: `/servers/${serverId}/protection`, label: 'Protection' }}
    >
      <Loaded query={query} height={60}>
        {({ isEnabled, drills: [last] }) => (
          <Stack gap="xs">
            <LastDrill drill={last} />
            {isEnabled && <StartDrill serverId={serverId} last={last} />}
            <Text size="sm" c="dimmed">
              An attack on a copy of the server, once a month by itself. The server is not touched.
            </Text>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
};

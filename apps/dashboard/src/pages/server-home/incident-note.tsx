import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Name } from '../../components/display.tsx';
import { Note } from '../../components/page.tsx';
import { incidentState, incidentTitle } from '../../labels/incidents.ts';
import { incidentsQuery } from '../../queries/protection.ts';

/** The newest incident that waits for a decision. */
export const IncidentNote = ({ serverId }: { serverId: string }) => {
  const { data } = useQuery(incidentsQuery(serverId, 1));
  const open = data?.data.find(({ endedAt }) => endedAt === null);
  if (!open) return null;
  const { label, message } = incidentState(open);
  return (
    <Note tone="danger" title={open.kind === 'RAID' ? 'A raid' : 'An attack on this server'}>
      <Stack gap="sm">
        <Text size="sm">
          <Name>{incidentTitle(open)}</Name>: {label}. {message}
        </Text>
        <Group>
          <Button component={Link} to={`/servers/${serverId}/incidents/${open.id}`} size="xs">
            Open the incident
          </Button>
        </Group>
      </Stack>
    </Note>
  );
};

import { Anchor, Badge, Button, Stack, Text } from '@mantine/core';
import { IconShieldCheck, IconShieldCog } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Moment, Name } from '../../components/display.tsx';
import { type Column, PagedTable, tableFrame, usePageNumber } from '../../components/list.tsx';
import { Empty, PageHead, TextLink } from '../../components/page.tsx';
import { ProtectionOff } from '../../components/protection-off.tsx';
import { formatCount, plural } from '../../labels/format.ts';
import { formatAfter, incidentState, incidentTitle } from '../../labels/incidents.ts';
import { attackersOf, isOpen } from '../../labels/open-incidents.ts';
import { raidTitle } from '../../labels/waves.ts';
import { incidentsQuery, waveQuery } from '../../queries/protection.ts';
import type { Incident, Wave } from '../../queries/records.ts';
import { useServer } from '../../queries/servers.ts';

export const Incidents = () => {
  const server = useServer();
  const { id } = server;
  const incidents = useQuery({
    ...incidentsQuery(id, usePageNumber()),
    select: ({ data, pagination }) => ({ data: openAbovePast(data), pagination }),
  });
  return (
    <>
      <PageHead
        title="Incidents"
        description="Attacks and raids on this server, what was done about them, and what to decide."
        actions={
          <Button
            component={Link}
            to={`/servers/${id}/protection`}
            variant="default"
            leftSection={<IconShieldCog size={18} aria-hidden />}
          >
            Protection
          </Button>
        }
      />
      <Stack gap="md">
        <ProtectionOff protection={server}>
          <Button component={Link} to={`/servers/${id}/protection`} size="xs">
            Turn on protection
          </Button>
        </ProtectionOff>
        <PagedTable
          query={incidents}
          height={240}
          caption="Incidents: those that are open, then the others, newest first"
          columns={columns}
          frame={tableFrame}
          empty={
            <Empty icon={IconShieldCheck} title="No incidents">
              Nobody has attacked this server since Holdfast watches it. What it watches is on the{' '}
              <TextLink to={`/servers/${id}/protection`}>protection page</TextLink>.
            </Empty>
          }
        />
      </Stack>
    </>
  );
};

const openAbovePast = (incidents: Incident[]): Incident[] => [
  ...incidents.filter(isOpen),
  ...incidents.filter((incident) => !isOpen(incident)),
];

const columns: Column<Incident>[] = [
  {
    header: 'Incident',
    cell: (incident) => (
      <Anchor
        component={Link}
        to={`/servers/${incident.serverId}/incidents/${incident.id}`}
        fw={500}
      >
        <Title incident={incident} />
      </Anchor>
    ),
  },
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} isExact /> },
  { header: 'Status', cell: (incident) => <IncidentBadge incident={incident} /> },
  {
    header: 'Actions',
    cell: ({ kind, acts }) => (kind === 'RAID' ? '–' : formatCount(acts.total)),
    isNumber: true,
  },
  {
    header: 'Lost',
    cell: ({ kind, objectsLost }) => (kind === 'RAID' ? '–' : formatCount(objectsLost)),
    isNumber: true,
  },
  {
    header: 'Contained after',
    cell: (incident) =>
      attackersOf(incident).unstopped > 0 ? (
        <Text size="sm" c="var(--mantine-color-error)">
          not contained
        </Text>
      ) : (
        formatAfter(incident.containedAfterMs)
      ),
    isNumber: true,
  },
];

/** Of a raid that waits for its owner; past ones are not asked for, because there may be a page of them. */
const useOpenWave = (incident: Incident): Wave | undefined =>
  useQuery({
    ...waveQuery(incident.id),
    enabled: incident.kind === 'RAID' && isOpen(incident),
  }).data;

const Title = ({ incident }: { incident: Incident }) => {
  const wave = useOpenWave(incident);
  return <Name>{wave ? raidTitle(wave) : incidentTitle(incident)}</Name>;
};

/** What is open about it, or how it ended. */
const IncidentBadge = ({ incident }: { incident: Incident }) => {
  const wave = useOpenWave(incident);
  const { unstopped } = attackersOf(incident);
  const { label, color } = incidentState(incident);
  if (isOpen(incident) && unstopped > 0) {
    return (
      <Badge color="red" variant="filled">
        {plural(unstopped, 'attacker')} not stopped
      </Badge>
    );
  }
  const held = wave?.decision === null ? wave.counts.held : 0;
  return <Badge color={color}>{held > 0 ? `${formatCount(held)} to decide` : label}</Badge>;
};

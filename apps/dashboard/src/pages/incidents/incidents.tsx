import { Anchor, Badge } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Moment, Name } from '../../components/display.tsx';
import { type Column, PagedTable, tableFrame, usePageNumber } from '../../components/list.tsx';
import { Empty, PageHead, TextLink } from '../../components/page.tsx';
import { formatCount } from '../../labels/format.ts';
import { formatAfter, incidentState, incidentTitle } from '../../labels/incidents.ts';
import { incidentsQuery } from '../../queries/protection.ts';
import type { Incident } from '../../queries/records.ts';
import { useServer } from '../../queries/servers.ts';

export const Incidents = () => {
  const { id } = useServer();
  const incidents = useQuery(incidentsQuery(id, usePageNumber()));
  return (
    <>
      <PageHead
        title="Incidents"
        description="Attacks and raids on this server, what was done about them, and what to decide."
      />
      <PagedTable
        query={incidents}
        height={240}
        caption="Incidents, newest first"
        columns={columns}
        frame={tableFrame}
        empty={
          <Empty icon={IconShieldCheck} title="No incidents">
            Nobody has attacked this server since Holdfast watches it. What it watches is on the{' '}
            <TextLink to={`/servers/${id}/protection`}>protection page</TextLink>.
          </Empty>
        }
      />
    </>
  );
};

const columns: Column<Incident>[] = [
  {
    header: 'Incident',
    cell: (incident) => (
      <Anchor
        component={Link}
        to={`/servers/${incident.serverId}/incidents/${incident.id}`}
        fw={500}
      >
        <Name>{incidentTitle(incident)}</Name>
      </Anchor>
    ),
  },
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} isExact /> },
  { header: 'Status', cell: (incident) => <IncidentBadge incident={incident} /> },
  { header: 'Acts', cell: ({ acts }) => formatCount(acts.total), isNumber: true },
  { header: 'Objects lost', cell: ({ objectsLost }) => formatCount(objectsLost), isNumber: true },
  {
    header: 'Contained after',
    cell: ({ containedAfterMs }) => formatAfter(containedAfterMs),
    isNumber: true,
  },
];

const IncidentBadge = ({ incident }: { incident: Incident }) => {
  const { label, color } = incidentState(incident);
  return <Badge color={color}>{label}</Badge>;
};

import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Moment, Name, StatusBadge } from '../../components/display.tsx';
import { type Column, PagedTable, usePageNumber } from '../../components/list.tsx';
import { Section } from '../../components/page.tsx';
import { formatCount, formatRatio } from '../../labels/format.ts';
import type { PullRecord } from '../../queries/records.ts';
import { pullsQuery } from '../../queries/recovery.ts';
import { allServersQuery, useServer } from '../../queries/servers.ts';

/** All pulls of the server's members, newest first. */
export const PullList = () => {
  const { id } = useServer();
  const pulls = useQuery(pullsQuery(id, usePageNumber()));
  return (
    <PagedTable
      query={pulls}
      empty={null}
      caption="Pulls, newest first"
      columns={columns}
      frame={(table) => (
        <Section title="History" padding="md">
          {table}
        </Section>
      )}
    />
  );
};

/** The name of the server that members are brought back to. */
export const TargetName = ({ serverId }: { serverId: string }) => {
  const { data } = useQuery(allServersQuery);
  const target = data?.data.find(({ id }) => id === serverId);
  if (!target) return data ? 'a deleted server' : '…';
  return <Name>{target.name}</Name>;
};

const columns: Column<PullRecord>[] = [
  {
    header: 'Started',
    cell: ({ serverId, id, createdAt }) => (
      <Anchor component={Link} to={`/servers/${serverId}/pulls/${id}`} fw={500} inherit>
        <Moment at={createdAt} isExact />
      </Anchor>
    ),
  },
  { header: 'Into', cell: ({ targetServerId }) => <TargetName serverId={targetServerId} /> },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    header: 'Tried',
    cell: ({ processed, total }) => formatRatio(processed, total),
    isNumber: true,
  },
  { header: 'Joined', cell: ({ results }) => formatCount(results.joined), isNumber: true },
  {
    header: 'There already',
    cell: ({ results }) => formatCount(results.alreadyMember),
    isNumber: true,
  },
];

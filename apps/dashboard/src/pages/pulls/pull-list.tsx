import { Anchor, Paper, Title } from '@mantine/core';
import { Link } from 'react-router';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { useServers } from '../../parts/server-select.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useServer } from '../../parts/use-server.ts';
import { countWords } from '../../parts/words.ts';
import type { PullRecord } from './pull-words.ts';
import { usePulls } from './use-pulls.ts';

/** All pulls of the server's members, newest first. */
export const PullList = () => {
  const { id } = useServer();
  const pulls = usePulls(id, usePageNumber());
  return (
    <Loaded query={pulls}>
      {({ data, pagination }) =>
        pagination.total > 0 && (
          <Paper withBorder p="md">
            <Title order={2} size="h4" mb="xs">
              History
            </Title>
            <RecordTable caption="Pulls, newest first" columns={columns} rows={data} />
            <PageTurner pagination={pagination} />
          </Paper>
        )
      }
    </Loaded>
  );
};

/** The server that they are called to, as its owner knows it. */
export const TargetName = ({ serverId }: { serverId: string }) => {
  const { data } = useServers();
  const target = data?.data.find(({ id }) => id === serverId);
  if (!target) return data ? 'a server that is gone' : '…';
  return <Name>{target.name}</Name>;
};

const columns: Column<PullRecord>[] = [
  {
    header: 'Begun',
    cell: ({ serverId, id, createdAt }) => (
      <Anchor component={Link} to={`/servers/${serverId}/pulls/${id}`} fw={500}>
        <Moment at={createdAt} isExact />
      </Anchor>
    ),
  },
  { header: 'Into', cell: ({ targetServerId }) => <TargetName serverId={targetServerId} /> },
  { header: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Joined', cell: ({ results }) => countWords(results.joined), isNumber: true },
  {
    header: 'Called',
    cell: ({ processed, total }) => `${countWords(processed)} of ${countWords(total)}`,
    isNumber: true,
  },
];

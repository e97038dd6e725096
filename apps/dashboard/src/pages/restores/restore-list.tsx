import { Anchor, Button } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { Moment, Name, StatusBadge } from '../../components/display.tsx';
import { RunningJob } from '../../components/job-progress.tsx';
import { type Column, RecordTable } from '../../components/list.tsx';
import { Section } from '../../components/page.tsx';
import { backupTitle } from '../../labels/backups.ts';
import { formatDuration, formatRatio } from '../../labels/format.ts';
import { modeText, restoreMessage, waitsUntil } from '../../labels/restores.ts';
import { isRunning } from '../../labels/status.ts';
import type { RestoreRecord } from '../../queries/records.ts';
import { backupsQuery, restoresQuery } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';

const shownAtFirst = 5;
const mostShown = 100;

const pathOf = ({ serverId, id }: RestoreRecord): string => `/servers/${serverId}/restores/${id}`;

/** The restore into the server that runs now, if any. */
export const RunningRestore = () => {
  const { id } = useServer();
  const running = useQuery(restoresQuery(id, shownAtFirst)).data?.data.find(isRunning);
  if (!running) return null;
  const isWaiting = waitsUntil(running) !== null;
  return (
    <RunningJob
      title={isWaiting ? 'A restore is waiting' : 'A restore is running'}
      icon={<IconHistory aria-hidden />}
      kind="restore"
      progress={running.progress}
      isWaiting={isWaiting}
      to={pathOf(running)}
    >
      {restoreMessage(running)}
    </RunningJob>
  );
};

/** The restores into the server, newest first. */
export const RestoreList = () => {
  const { id } = useServer();
  const [limit, setLimit] = useState(shownAtFirst);
  const { data } = useQuery(restoresQuery(id, limit));
  if (!data || data.pagination.total === 0) return null;
  return (
    <Section title="Restores into this server" padding="md">
      <RecordTable
        caption="Restores into this server, newest first"
        columns={columns}
        rows={data.data}
      />
      {data.pagination.total > limit && limit < mostShown && (
        <Button variant="subtle" size="compact-sm" mt="sm" onClick={() => setLimit(mostShown)}>
          Show older ones
        </Button>
      )}
    </Section>
  );
};

/** The backup's name; of one of another server, or deleted since, there is none here. */
const SourceName = ({ restore: { serverId, backupId } }: { restore: RestoreRecord }) => {
  const { data } = useQuery(backupsQuery(serverId, { limit: 100 }));
  const backup = data?.data.find(({ id }) => id === backupId);
  return backup ? <Name>{backupTitle(backup)}</Name> : '–';
};

const columns: Column<RestoreRecord>[] = [
  {
    header: 'Started',
    cell: (restore) => (
      <Anchor component={Link} to={pathOf(restore)} fw={500}>
        <Moment at={restore.createdAt} isExact />
      </Anchor>
    ),
  },
  { header: 'From', cell: (restore) => <SourceName restore={restore} /> },
  { header: 'Mode', cell: modeText },
  {
    header: 'Status',
    cell: (restore) => (
      <StatusBadge status={waitsUntil(restore) === null ? restore.status : 'waiting'} />
    ),
  },
  {
    header: 'Steps done',
    cell: ({ steps }) => (steps.total > 0 ? formatRatio(steps.done, steps.total) : '–'),
    isNumber: true,
  },
  {
    header: 'Took',
    cell: ({ startedAt, completedAt }) =>
      startedAt && completedAt
        ? formatDuration((Date.parse(completedAt) - Date.parse(startedAt)) / 1000)
        : '–',
    isNumber: true,
  },
];

import { Alert, Anchor, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Moment } from '../../parts/moment.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useServer } from '../../parts/use-server.ts';
import { countWords, durationWords } from '../../parts/words.ts';
import { headline } from './restore-words.ts';
import { isActive, type RestoreRecord, useRestores } from './use-restores.ts';

const shownAtFirst = 5;
const mostShown = 100;

const pathOf = ({ serverId, id }: RestoreRecord): string => `/servers/${serverId}/restores/${id}`;

/** What is being restored into the server at this moment, above all else. */
export const RunningRestore = () => {
  const { id } = useServer();
  const running = useRestores(id, shownAtFirst).data?.data.find(isActive);
  if (!running) return null;
  return (
    <Alert color="blue" title="A restore is under way" icon={<IconHistory aria-hidden />}>
      <Stack gap="xs">
        <Text size="sm">{headline[running.status]}</Text>
        <Progress value={running.progress} animated aria-label="How far the restore is" />
        <Group>
          <Button component={Link} to={pathOf(running)} size="xs">
            Follow it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
};

/** What was restored into the server before. */
export const RestoreList = () => {
  const { id } = useServer();
  const [limit, setLimit] = useState(shownAtFirst);
  const { data } = useRestores(id, limit);
  if (!data || data.pagination.total === 0) return null;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        Restores into this server
      </Title>
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
    </Paper>
  );
};

const columns: Column<RestoreRecord>[] = [
  {
    header: 'Begun',
    cell: (restore) => (
      <Anchor component={Link} to={pathOf(restore)} fw={500}>
        <Moment at={restore.createdAt} isExact />
      </Anchor>
    ),
  },
  { header: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    header: 'Steps done',
    cell: ({ steps }) =>
      steps.total > 0 ? `${countWords(steps.done)} of ${countWords(steps.total)}` : '–',
    isNumber: true,
  },
  {
    header: 'Took',
    cell: ({ startedAt, completedAt }) =>
      startedAt && completedAt
        ? durationWords((Date.parse(completedAt) - Date.parse(startedAt)) / 1000)
        : '–',
    isNumber: true,
  },
];

import type { Entry } from '@holdfast/sdk';
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import type { Server } from '../../parts/use-server.ts';
import { plural } from '../../parts/words.ts';
import { BackupProof } from './backup-proof.tsx';
import { Card } from './card.tsx';

type Backup = Entry<'listBackups'>;
type Pull = Entry<'listPulls'>;

const isEnded = (job: { status: string } | undefined) =>
  job === undefined || !['queued', 'running'].includes(job.status);

export const LastBackupCard = ({ server }: { server: Server }) => {
  const { id, backupSchedule } = server;
  const backups = useQuery({
    queryKey: ['backups', id, 'latest'],
    queryFn: () => api.listBackups({ params: { id }, query: { limit: 1 } }),
    refetchInterval: ({ state }) => (isEnded(state.data?.data[0]) ? 10_000 : 2000),
  });
  return (
    <Card title="Last backup" more={{ to: `/servers/${id}/backups`, label: 'Backups' }}>
      <Loaded query={backups} height={60}>
        {({ data: [latest] }) => (
          <Stack gap="xs">
            {latest ? <BackupLine backup={latest} /> : <Text>There is none yet.</Text>}
            <Text size="sm" c="dimmed">
              {backupSchedule
                ? `Made by itself every ${plural(backupSchedule.everyHours, 'hour')}.`
                : 'No backup is made by itself.'}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Card>
  );
};

const BackupLine = ({ backup }: { backup: Backup }) => (
  <>
    <Anchor component={Link} to={`/servers/${backup.serverId}/backups/${backup.id}`}>
      <Name>{backup.name}</Name>
    </Anchor>
    <Group gap="xs">
      {backup.status === 'completed' ? (
        <BackupProof restorable={backup.restorable} />
      ) : (
        <StatusBadge status={backup.status} />
      )}
      <Text size="sm">
        <Moment at={backup.completedAt ?? backup.createdAt} />
      </Text>
    </Group>
  </>
);

export const LastPullCard = ({ server: { id, _count } }: { server: Server }) => {
  const pulls = useQuery({
    queryKey: ['pulls', id, 'latest'],
    queryFn: () => api.listPulls({ params: { id }, query: { limit: 1 } }),
    refetchInterval: ({ state }) => (isEnded(state.data?.data[0]) ? 10_000 : 2000),
  });
  return (
    <Card title="Last pull" more={{ to: `/servers/${id}/pulls`, label: 'Pulls' }}>
      <Loaded query={pulls} height={60}>
        {({ data: [latest] }) => (
          <Stack gap="xs">
            {latest ? <PullLine pull={latest} /> : <Text>There was none yet.</Text>}
            <Text size="sm" c="dimmed">
              {plural(_count.pullableMembers, 'member')} can be called back now.
            </Text>
          </Stack>
        )}
      </Loaded>
    </Card>
  );
};

const PullLine = ({ pull }: { pull: Pull }) => (
  <>
    <Anchor component={Link} to={`/servers/${pull.serverId}/pulls/${pull.id}`}>
      {plural(pull.results.joined, 'member')} joined of {pull.total} called
    </Anchor>
    <Group gap="xs">
      <StatusBadge status={pull.status} />
      <Text size="sm">
        <Moment at={pull.completedAt ?? pull.createdAt} />
      </Text>
    </Group>
  </>
);

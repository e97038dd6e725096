import { Anchor, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { Moment } from '../../parts/moment.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { useServer } from '../../parts/use-server.ts';
import { countWords, plural, sizeWords } from '../../parts/words.ts';
import { isGood } from './backup-words.ts';
import { useBackups } from './use-backups.ts';

/** Whether this server could be brought back today, in three glances. */
export const BackupSummary = () => (
  <SimpleGrid cols={{ base: 1, sm: 3 }}>
    <LastGood />
    <Schedule />
    <Storage />
  </SimpleGrid>
);

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <Paper withBorder p="md">
    <Title order={2} size="h6" c="dimmed" mb={4}>
      {title}
    </Title>
    <Stack gap={4}>{children}</Stack>
  </Paper>
);

const LastGood = () => {
  const { id } = useServer();
  const { data } = useBackups(id, 1);
  const good = data?.data.find(isGood);
  return (
    <Card title="Last good backup">
      <Text fw={600}>{good ? <Moment at={good.completedAt} /> : data ? 'None yet' : '…'}</Text>
      {good && (
        <Text size="sm" c="dimmed">
          {good.restorable ? 'Proved: a drill restored it.' : 'Its drill comes by itself.'}{' '}
          <Anchor
            component={Link}
            to={`/servers/${id}/backups/${good.id}`}
            inherit
            underline="always"
          >
            Look at it
          </Anchor>
        </Text>
      )}
    </Card>
  );
};

const Schedule = () => {
  const { id, backupSchedule, retention } = useServer();
  const { daily, weekly, monthly } = retention;
  return (
    <Card title="Schedule">
      <Text fw={600}>{backupSchedule ? everyWords(backupSchedule.everyHours) : 'Off'}</Text>
      <Text size="sm" c="dimmed">
        {backupSchedule
          ? `Keeps ${countWords(daily)} daily, ${countWords(weekly)} weekly and ${countWords(monthly)} monthly.`
          : 'No backup is made by itself.'}{' '}
        <Anchor component={Link} to={`/servers/${id}/settings`} inherit underline="always">
          {backupSchedule ? 'Change it' : 'Switch it on'}
        </Anchor>
      </Text>
    </Card>
  );
};

const everyWords = (hours: number): string => {
  if (hours % 24 !== 0) return hours === 1 ? 'Every hour' : `Every ${hours} hours`;
  return hours === 24 ? 'Every day' : `Every ${hours / 24} days`;
};

const Storage = () => {
  const { data: account } = useAccount();
  const { data: usage } = useQuery({
    queryKey: ['backup-usage'],
    queryFn: () => api.getBackupUsage(),
    refetchInterval: 10_000,
  });
  if (!account || !usage) return <Card title="Your plan's storage">…</Card>;
  const { maxStorageBytes, maxBackups } = account.limits;
  const share = maxStorageBytes === 0 ? 100 : (usage.storageBytes / maxStorageBytes) * 100;
  return (
    <Card title="Your plan's storage">
      <Text fw={600} className="holdfast-number">
        {sizeWords(usage.storageBytes)} of {sizeWords(maxStorageBytes)}
      </Text>
      <Progress
        value={share}
        color={share >= 90 ? 'red' : undefined}
        aria-label="Share of the storage that is used"
      />
      <Text size="sm" c="dimmed">
        {countWords(usage.backups)} of {plural(maxBackups, 'backup')}, over all your servers.{' '}
        <Anchor component={Link} to="/billing" inherit underline="always">
          Plans
        </Anchor>
      </Text>
    </Card>
  );
};

import { Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Moment } from '../../components/display.tsx';
import { TextLink } from '../../components/page.tsx';
import { formatBytes, formatCount, formatRatio, plural } from '../../labels/format.ts';
import { accountQuery } from '../../queries/account.ts';
import { backupQuery, backupUsageQuery } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';

/** Whether this server could be restored today. */
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
  const { id, lastGoodBackupId } = useServer();
  return (
    <Card title="Last good backup">
      {lastGoodBackupId === null ? (
        <Text fw={600}>None yet</Text>
      ) : (
        <GoodBackup serverId={id} backupId={lastGoodBackupId} />
      )}
    </Card>
  );
};

const GoodBackup = ({ serverId, backupId }: { serverId: string; backupId: string }) => {
  const { data: backup } = useQuery(backupQuery(serverId, backupId));
  return (
    <>
      <Text fw={600}>{backup ? <Moment at={backup.completedAt} /> : '…'}</Text>
      {backup && (
        <Text size="sm" c="dimmed">
          {testOutcome(backup.restorable)}{' '}
          <TextLink to={`/servers/${serverId}/backups/${backupId}`}>Open it</TextLink>
        </Text>
      )}
    </>
  );
};

const testOutcome = (restorable: boolean | null): string => {
  if (restorable === null) return 'The test restore follows.';
  return restorable ? 'The test restore passed.' : 'The test restore failed.';
};

const Schedule = () => {
  const { id, backupSchedule, retention } = useServer();
  const { daily, weekly, monthly } = retention;
  return (
    <Card title="Schedule">
      <Text fw={600}>{backupSchedule ? scheduleLabel(backupSchedule.everyHours) : 'Off'}</Text>
      <Text size="sm" c="dimmed">
        {backupSchedule
          ? `Keeps ${formatCount(daily)} daily, ${formatCount(weekly)} weekly and ${formatCount(monthly)} monthly.`
          : 'Automatic backups are off.'}{' '}
        <TextLink to={`/servers/${id}/settings`}>
          {backupSchedule ? 'Change' : 'Switch on'}
        </TextLink>
      </Text>
    </Card>
  );
};

const scheduleLabel = (hours: number): string => {
  if (hours % 24 !== 0) return hours === 1 ? 'Every hour' : `Every ${hours} hours`;
  return hours === 24 ? 'Every day' : `Every ${hours / 24} days`;
};

const Storage = () => {
  const { data: account } = useQuery(accountQuery);
  const { data: usage } = useQuery(backupUsageQuery);
  if (!account || !usage) return <Card title="Your plan's storage">…</Card>;
  const { maxStorageBytes, maxBackups } = account.limits;
  const percent = maxStorageBytes === 0 ? 100 : (usage.storageBytes / maxStorageBytes) * 100;
  return (
    <Card title="Your plan's storage">
      <Text fw={600} className="holdfast-number">
        {formatRatio(usage.storageBytes, maxStorageBytes, formatBytes)}
      </Text>
      <Progress
        value={percent}
        color={percent >= 90 ? 'red' : undefined}
        aria-label="Storage used"
      />
      <Text size="sm" c="dimmed">
        {formatCount(usage.backups)} of {plural(maxBackups, 'backup')}, over all your servers.{' '}
        <TextLink to="/billing">Plans</TextLink>
      </Text>
    </Card>
  );
};

import { Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Moment, StatusLine } from '../../components/display.tsx';
import { TextLink } from '../../components/page.tsx';
import { ScheduleButton } from '../../components/setup-checklist.tsx';
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

type CardProps = { title: string; isWarning?: boolean; children: ReactNode };

const Card = ({ title, isWarning = false, children }: CardProps) => (
  <Paper
    withBorder
    p="md"
    style={isWarning ? { borderColor: 'var(--mantine-color-yellow-filled)' } : undefined}
  >
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
  if (!backupSchedule) {
    return (
      <Card title="Schedule" isWarning>
        <StatusLine isGood={false}>Automatic backups are off</StatusLine>
        <Group>
          <ScheduleButton serverId={id} size="xs" variant="filled" />
        </Group>
      </Card>
    );
  }
  return (
    <Card title="Schedule">
      <Text fw={600}>{scheduleLabel(backupSchedule.everyHours)}</Text>
      <Text size="sm" c="dimmed">
        {`Keeps ${formatCount(daily)} daily, ${formatCount(weekly)} weekly and ${formatCount(monthly)} monthly.`}{' '}
        <TextLink to={`/servers/${id}/settings#backups`}>Change</TextLink>
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
        {formatCount(usage.backups)} of {plural(maxBackups, 'backup')}, over all your servers;
        safety backups do not count. <TextLink to="/billing">Plans</TextLink>
      </Text>
    </Card>
  );
};

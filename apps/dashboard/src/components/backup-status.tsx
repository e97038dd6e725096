import { Badge, Group, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck, IconShieldX } from '@tabler/icons-react';
import { isRunning } from '../labels/status.ts';
import type { BackupRecord } from '../queries/records.ts';
import { Moment, StatusBadge } from './display.tsx';

/** The status of a backup, and its progress while it is made. */
export const BackupStatus = ({ backup }: { backup: BackupRecord }) => (
  <Stack gap={6} align="flex-start">
    <Group gap={6}>
      <StatusBadge status={backup.status} />
      {backup.suspicious && (
        <Badge color="orange" leftSection={<IconAlertTriangle size={12} aria-hidden />}>
          Suspicious
        </Badge>
      )}
    </Group>
    {isRunning(backup) && (
      <Progress
        w={120}
        value={backup.progress}
        animated
        aria-label={`${backup.progress} percent of this backup are made`}
      />
    )}
  </Stack>
);

type Tested = Pick<BackupRecord, 'status' | 'restorable' | 'provedAt'>;

/** The outcome of a backup's last test restore, and when it was. */
export const TestRestore = ({ backup: { status, restorable, provedAt } }: { backup: Tested }) => {
  if (status !== 'completed') return <Text size="sm">–</Text>;
  if (restorable === null) return <Text size="sm">Not yet</Text>;
  const Glyph = restorable ? IconShieldCheck : IconShieldX;
  return (
    <Group gap={6} wrap="nowrap">
      <Glyph
        size={18}
        aria-hidden
        color={`var(--mantine-color-${restorable ? 'green' : 'red'}-filled)`}
      />
      <Text size="sm">
        {restorable ? 'Passed' : 'Failed'} <Moment at={provedAt} />
      </Text>
    </Group>
  );
};

/** The same where there is little room. */
export const TestRestoreBadge = ({ restorable }: Pick<BackupRecord, 'restorable'>) => {
  if (restorable === null) return <Badge color="gray">Not tested yet</Badge>;
  return restorable ? (
    <Badge color="green">Test restore passed</Badge>
  ) : (
    <Badge color="red">Test restore failed</Badge>
  );
};

import { Badge, Group, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck, IconShieldX } from '@tabler/icons-react';
import { Moment } from '../../parts/moment.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { type BackupRecord, isUnderWay } from './backup-words.ts';

/** Where a backup stands, and how far it is while it is made. */
export const BackupState = ({ backup }: { backup: BackupRecord }) => (
  <Stack gap={6} align="flex-start">
    <Group gap={6}>
      <StatusBadge status={backup.status} />
      {backup.suspicious && (
        <Badge
          variant="light"
          color="orange"
          tt="none"
          autoContrast
          leftSection={<IconAlertTriangle size={12} aria-hidden />}
        >
          suspicious
        </Badge>
      )}
    </Group>
    {isUnderWay(backup) && (
      <Progress
        w={120}
        value={backup.progress}
        animated
        aria-label={`${backup.progress} percent of this backup are made`}
      />
    )}
  </Stack>
);

type ProofProps = { backup: Pick<BackupRecord, 'status' | 'restorable' | 'provedAt'> };

/** Whether a drill could restore it. */
export const Proof = ({ backup: { status, restorable, provedAt } }: ProofProps) => {
  if (status !== 'completed') return <Text size="sm">–</Text>;
  if (restorable === null) return <Text size="sm">Not yet</Text>;
  const Sign = restorable ? IconShieldCheck : IconShieldX;
  return (
    <Group gap={6} wrap="nowrap">
      <Sign
        size={18}
        aria-hidden
        color={`var(--mantine-color-${restorable ? 'green' : 'red'}-filled)`}
      />
      <Text size="sm">
        {restorable ? 'Proved' : 'Drill failed'} <Moment at={provedAt} />
      </Text>
    </Group>
  );
};

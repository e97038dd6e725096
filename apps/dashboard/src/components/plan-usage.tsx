import { Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { formatBytes, formatCount, formatRatio, plural } from '../labels/format.ts';
import type { Account, BackupUsage } from '../queries/records.ts';
import { Note, TextLink } from './page.tsx';

type UsageBarProps = {
  label: string;
  used: number;
  most: number;
  format?: (amount: number) => string;
  note?: string;
};

/** How much of one limit is used. */
const UsageBar = ({ label, used, most, format = formatCount, note }: UsageBarProps) => (
  <Stack gap={4}>
    <Group justify="space-between" gap="xs">
      <Text size="sm">{label}</Text>
      <Text size="sm" c="dimmed" className="holdfast-number">
        {formatRatio(used, most, format)}
      </Text>
    </Group>
    <Progress
      value={most === 0 ? 100 : Math.min(100, (used / most) * 100)}
      color={used >= most ? 'orange' : undefined}
      aria-label={`${label} used`}
    />
    {note && (
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    )}
  </Stack>
);

type PlanUsageProps = { account: Account; usage: BackupUsage | undefined };

/** How much of the plan's limits is used. */
export const PlanUsage = ({ account: { limits, _count }, usage }: PlanUsageProps) => (
  <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="lg">
    <UsageBar label="Servers" used={_count.servers} most={limits.maxServers} />
    <UsageBar label="Bots" used={_count.customBots} most={limits.maxBots} />
    <UsageBar
      label="Backups"
      used={usage?.backups ?? 0}
      most={limits.maxBackups}
      note="Safety backups do not count."
    />
    <UsageBar
      label="Storage"
      used={usage?.storageBytes ?? 0}
      most={limits.maxStorageBytes}
      format={formatBytes}
    />
  </SimpleGrid>
);

/** The plan allows no more of these. */
export const PlanLimitNote = ({ what, most }: { what: 'bot' | 'server'; most: number }) => (
  <Note>
    Your plan includes {plural(most, what)}, and you have {most === 1 ? 'it' : 'them all'}.{' '}
    <TextLink to="/billing" c="inherit">
      Compare plans
    </TextLink>
  </Note>
);

import { Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { Facts } from '../../parts/facts.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useNow } from '../../parts/use-now.ts';
import { countWords, durationWords } from '../../parts/words.ts';
import { headline } from './restore-words.ts';
import { isActive, type RestoreRecord } from './use-restores.ts';

/** How far it is, and how long it has taken. */
export const RestoreProgress = ({ restore }: { restore: RestoreRecord }) => {
  const isOn = isActive(restore);
  const { steps, progress } = restore;
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        {isOn && (
          <Group gap="sm">
            <StatusBadge status={restore.status} />
            <Text size="sm" role="status">
              {headline[restore.status]}
            </Text>
          </Group>
        )}
        <Progress.Root size="xl">
          <Progress.Section
            value={progress}
            color={steps.failed > 0 ? 'yellow' : undefined}
            animated={isOn}
            aria-label="How far the restore is"
          />
        </Progress.Root>
        <Facts
          facts={[
            { label: 'Progress', value: `${progress} %` },
            {
              label: 'Steps done',
              value:
                steps.total > 0 ? `${countWords(steps.done)} of ${countWords(steps.total)}` : '–',
            },
            { label: 'Steps failed', value: countWords(steps.failed) },
            { label: isOn ? 'Running for' : 'Took', value: <Elapsed restore={restore} /> },
          ]}
        />
        {isOn && (
          <Text size="sm" c="dimmed">
            You can leave this page, even close the browser: it goes on by itself.
          </Text>
        )}
      </Stack>
    </Paper>
  );
};

const Elapsed = ({ restore: { startedAt, completedAt } }: { restore: RestoreRecord }) => {
  const now = useNow(startedAt !== null && completedAt === null);
  if (!startedAt) return '–';
  const end = completedAt ? Date.parse(completedAt) : now;
  return durationWords(Math.max(0, end - Date.parse(startedAt)) / 1000);
};

import { Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { Facts } from '../../parts/facts.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useNow } from '../../parts/use-now.ts';
import { countWords, durationWords } from '../../parts/words.ts';
import { isUnderWay, type PullRecord } from './pull-words.ts';

const sentences: Record<PullRecord['status'], string> = {
  queued: 'It waits for its turn.',
  running: 'Members are being called, one after the other.',
  completed: 'Everybody was called.',
  failed: 'It ended before everybody was called.',
  cancelled: 'It was stopped. Who had joined by then stays.',
};

export const PullProgress = ({ pull }: { pull: PullRecord }) => {
  const isOn = isUnderWay(pull);
  const { processed, total, progress, results, etaSeconds } = pull;
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <Group gap="sm">
          <StatusBadge status={pull.status} />
          <Text size="sm" role="status">
            {total === 0 && pull.status === 'completed'
              ? 'There was nobody to call.'
              : sentences[pull.status]}
          </Text>
        </Group>
        <Progress value={progress} size="xl" animated={isOn} aria-label="How far the pull is" />
        <Facts
          facts={[
            { label: 'Called', value: `${countWords(processed)} of ${countWords(total)}` },
            { label: 'Joined', value: countWords(results.joined) },
            { label: isOn ? 'Running for' : 'Took', value: <Elapsed pull={pull} /> },
            ...(isOn ? [{ label: 'Left', value: etaWords(etaSeconds) }] : []),
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

const etaWords = (seconds: number | null): string =>
  seconds === null ? 'Not known yet' : `About ${durationWords(seconds)}`;

const Elapsed = ({ pull: { startedAt, completedAt } }: { pull: PullRecord }) => {
  const now = useNow(startedAt !== null && completedAt === null);
  if (!startedAt) return '–';
  const end = completedAt ? Date.parse(completedAt) : now;
  return durationWords(Math.max(0, end - Date.parse(startedAt)) / 1000);
};

import { Alert, Stack, Text } from '@mantine/core';
import { type Icon, IconAlertTriangle, IconCircleCheck, IconHandStop } from '@tabler/icons-react';
import { sentence } from '../../parts/sentence.ts';
import { plural } from '../../parts/words.ts';
import { headline } from './restore-words.ts';
import { UndoRestore } from './undo-restore.tsx';
import type { RestoreRecord } from './use-restores.ts';

type Look = { title: string; color: string; icon: Icon };

const looks: Partial<Record<RestoreRecord['status'], Look>> = {
  completed: { title: 'Done', color: 'green', icon: IconCircleCheck },
  partial: { title: 'Done, with something missing', color: 'yellow', icon: IconAlertTriangle },
  failed: { title: 'It failed', color: 'red', icon: IconAlertTriangle },
  cancelled: { title: 'Stopped', color: 'gray', icon: IconHandStop },
};

/** How it ended, in words, and the way back. Nothing while it goes on. */
export const RestoreOutcome = ({ restore }: { restore: RestoreRecord }) => {
  const look = looks[restore.status];
  if (!look) return null;
  const { title, color, icon: Sign } = look;
  return (
    <Alert color={color} title={title} icon={<Sign aria-hidden />} role="status">
      <Stack gap="sm">
        <Text size="sm">{headline[restore.status]}</Text>
        {restore.error && <Text size="sm">{sentence(restore.error)}</Text>}
        {(restore.status === 'failed' || restore.status === 'cancelled') && (
          <Text size="sm">{leftWords(restore)}</Text>
        )}
        <UndoRestore restore={restore} />
      </Stack>
    </Alert>
  );
};

const leftWords = ({ steps }: RestoreRecord): string =>
  steps.total === 0
    ? 'It ended before its first step: the server was not changed.'
    : `${plural(steps.done, 'step')} of ${steps.total} ${steps.done === 1 ? 'was' : 'were'} done; the rest was left.`;

import { List, Loader, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconClock, IconMinus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Fold } from '../../components/fold.tsx';
import { formatCount, formatRatio } from '../../labels/format.ts';
import { prepareLabel, stageLabels, waitsUntil } from '../../labels/restores.ts';
import { isRunning } from '../../labels/status.ts';
import type { RestoreRecord } from '../../queries/records.ts';
import { restoreDetailsQuery } from '../../queries/recovery.ts';
import { type StageView, viewStages } from './stage-view.ts';

/** The stages: done, current and ahead; folded once it is over. */
export const RestoreStages = ({ restore }: { restore: RestoreRecord }) => {
  const { data: details } = useQuery(restoreDetailsQuery(restore));
  const views = viewStages(restore.status, details?.stages ?? []);
  const isPaused = waitsUntil(restore) !== null;
  const list = (
    <List type="ordered" listStyleType="none" spacing="sm" center>
      {views.map((view) => (
        <List.Item key={view.stage} icon={<StageIcon state={view.state} isPaused={isPaused} />}>
          <Text size="sm" fw={view.state === 'active' ? 600 : undefined}>
            {view.stage === 'prepare' ? prepareLabel : stageLabels[view.stage]}
            <VisuallyHidden>, {stateLabels[view.state]}</VisuallyHidden>
          </Text>
          {view.total > 0 && (
            <Text size="sm" c="dimmed" className="holdfast-number">
              {formatRatio(view.done, view.total)}
              {view.failed > 0 && `, ${formatCount(view.failed)} failed`}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  );
  return isRunning(restore) ? list : <Fold label={`Show all ${views.length} stages`}>{list}</Fold>;
};

const stateLabels: Record<StageView['state'], string> = {
  done: 'done',
  active: 'current',
  waiting: 'not started',
};

type StageIconProps = Pick<StageView, 'state'> & { isPaused: boolean };

const StageIcon = ({ state, isPaused }: StageIconProps) => {
  if (state === 'active' && !isPaused) return <Loader size={24} aria-hidden />;
  const isDone = state === 'done';
  const Glyph = isDone ? IconCheck : state === 'active' ? IconClock : IconMinus;
  return (
    <ThemeIcon
      size={24}
      radius="xl"
      variant={isDone ? 'filled' : 'default'}
      color={isDone ? 'green.8' : undefined}
      aria-hidden
    >
      <Glyph size={16} />
    </ThemeIcon>
  );
};

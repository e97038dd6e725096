import { List, Loader, Paper, Text, ThemeIcon, Title, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import { countWords } from '../../parts/words.ts';
import { stageWords } from './restore-words.ts';
import { type StageView, viewStages } from './stage-view.ts';
import { type RestoreRecord, useRestoreCourse } from './use-restores.ts';

/** What is being done at this moment, and what comes after it. */
export const RestoreStages = ({ restore }: { restore: RestoreRecord }) => {
  const { data: course } = useRestoreCourse(restore.id, restore.status);
  const views = viewStages(restore.status, course?.stages ?? []);
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="md">
        Step by step
      </Title>
      <List type="ordered" listStyleType="none" spacing="sm" center>
        {views.map((view) => (
          <List.Item key={view.stage} icon={<StageIcon state={view.state} />}>
            <Text size="sm" fw={view.state === 'active' ? 600 : undefined}>
              {view.stage === 'prepare' ? prepareWords : stageWords[view.stage]}
              <VisuallyHidden>, {stateWords[view.state]}</VisuallyHidden>
            </Text>
            {view.total > 0 && (
              <Text size="sm" c="dimmed" className="holdfast-number">
                {countWords(view.done)} of {countWords(view.total)}
                {view.failed > 0 && `, ${countWords(view.failed)} failed`}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
    </Paper>
  );
};

const prepareWords = 'Read the backup through, take a safety snapshot, plan every step';

const stateWords: Record<StageView['state'], string> = {
  done: 'done',
  active: 'being done',
  waiting: 'not begun',
};

const StageIcon = ({ state }: Pick<StageView, 'state'>) => {
  if (state === 'active') return <Loader size={24} aria-hidden />;
  const isDone = state === 'done';
  return (
    <ThemeIcon
      size={24}
      radius="xl"
      variant={isDone ? 'filled' : 'default'}
      color={isDone ? 'green' : undefined}
      aria-hidden
    >
      {isDone ? <IconCheck size={16} /> : <IconMinus size={16} />}
    </ThemeIcon>
  );
};

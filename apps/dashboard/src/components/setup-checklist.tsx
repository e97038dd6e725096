import { Box, Button, Group, Paper, Progress, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { api } from '../api.ts';
import { plural } from '../labels/format.ts';
import { nextStep, type SetupFacts, type SetupStep, setupSteps } from '../labels/setup-steps.ts';
import { queryKeys } from '../queries/query-keys.ts';
import { changedByBackup } from '../queries/recovery.ts';
import { Name } from './display.tsx';
import { Fold } from './fold.tsx';
import { useAction } from './use-action.ts';

type ChecklistProps = {
  facts: SetupFacts;
  serverName?: string;
  /** One line, unless its reader opens it: something else comes first. */
  isFolded?: boolean;
  /** Shown in its place once it is hidden or done. */
  afterwards?: ReactNode;
};

/** What is left of the set-up. It stays until all is done, unless its owner hides it. */
export const SetupChecklist = (props: ChecklistProps) => {
  const { facts, serverName, isFolded = false, afterwards = null } = props;
  const [hidden, setHidden] = useLocalStorage<string[]>({
    ...{ key: 'holdfast-hidden-checklists', defaultValue: [], getInitialValueInEffect: false },
  });
  const steps = setupSteps(facts);
  const done = steps.filter(({ isDone }) => isDone).length;
  const id = facts.server?.id ?? '';
  if (done === steps.length || hidden.includes(id)) return afterwards;
  if (isFolded) {
    return (
      <Paper withBorder px="lg" py="sm">
        <Fold label={`Set up: ${done} of ${steps.length} done`}>
          <Box pt="sm">
            <Steps steps={steps} serverId={facts.server?.id} />
          </Box>
        </Fold>
      </Paper>
    );
  }
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="checklist">
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={2} size="h4" id="checklist">
          Set up {serverName === undefined ? 'your server' : <Name>{serverName}</Name>}
        </Title>
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            {done} of {steps.length} done
          </Text>
          {id !== '' && (
            <Button variant="subtle" size="compact-sm" onClick={() => setHidden([...hidden, id])}>
              Hide
            </Button>
          )}
        </Group>
      </Group>
      <Progress
        value={(done / steps.length) * 100}
        size="sm"
        mb="lg"
        aria-label={`${done} of ${steps.length} steps done`}
      />
      <Steps steps={steps} serverId={facts.server?.id} />
    </Paper>
  );
};

type StepsProps = { steps: SetupStep[]; serverId: string | undefined };

const Steps = ({ steps, serverId }: StepsProps) => {
  const next = nextStep(steps);
  const done = steps.filter(({ isDone }) => isDone);
  return (
    <>
      <Stack gap="md" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map(
          (step, index) =>
            !step.isDone && (
              <OpenStep
                key={step.key}
                number={index + 1}
                isNext={step === next}
                {...{ step, serverId }}
              />
            ),
        )}
      </Stack>
      {done.length > 0 && <DoneSteps steps={done} />}
    </>
  );
};

type StepProps = {
  step: SetupStep;
  number: number;
  isNext: boolean;
  serverId: string | undefined;
};

const OpenStep = ({ step, number, isNext, serverId }: StepProps) => (
  <Group component="li" wrap="nowrap" align="flex-start" gap="md">
    <ThemeIcon
      variant="light"
      radius="xl"
      size={28}
      color={isNext ? undefined : 'gray'}
      aria-hidden
    >
      {number}
    </ThemeIcon>
    <Group flex={1} miw={0} gap="xs" justify="space-between">
      <Stack gap={2} flex="1 1 14rem" miw={0}>
        <Text fw={600}>{step.title}</Text>
        <Text size="sm" c="dimmed">
          {step.detail}
        </Text>
      </Stack>
      <StepAction step={step} isNext={isNext} serverId={serverId} />
    </Group>
  </Group>
);

/** One line, unless their reader opens it. */
const DoneSteps = ({ steps }: { steps: SetupStep[] }) => (
  <Box mt="md">
    <Fold label={`${plural(steps.length, 'step')} done`}>
      <Stack gap="xs" mt="xs" component="ul" p={0} style={{ listStyle: 'none' }}>
        {steps.map(({ key, title }) => (
          <Group key={key} component="li" gap="sm" wrap="nowrap">
            <ThemeIcon variant="light" radius="xl" size={22} color="green" aria-hidden>
              <IconCheck size={14} />
            </ThemeIcon>
            <Text size="sm" c="dimmed">
              {title}
            </Text>
          </Group>
        ))}
      </Stack>
    </Fold>
  </Box>
);

type StepActionProps = Omit<StepProps, 'number'>;

/** Two steps need no decision: they are done here. */
const StepAction = ({ step, isNext, serverId }: StepActionProps) => {
  const look = { size: 'sm', variant: isNext ? 'filled' : 'default' };
  if (serverId && step.key === 'schedule') return <ScheduleButton serverId={serverId} {...look} />;
  if (serverId && step.key === 'backup') return <BackupButton serverId={serverId} {...look} />;
  if (step.to === undefined) return null;
  return (
    <Button component={Link} to={step.to} {...look}>
      {step.action}
    </Button>
  );
};

type ActButtonProps = { serverId: string; size: string; variant: string };

export const ScheduleButton = ({ serverId, ...look }: ActButtonProps) => {
  const body = { backupSchedule: { everyHours: 24 } };
  const act = useAction(() => api.updateServer({ params: { id: serverId }, body }), {
    message: 'The server is backed up once a day from now on.',
    invalidates: [queryKeys.server(serverId), queryKeys.overview],
  });
  return (
    <Button {...look} onClick={() => act.mutate()} loading={act.isPending}>
      Back up daily
    </Button>
  );
};

const BackupButton = ({ serverId, ...look }: ActButtonProps) => {
  const act = useAction(() => api.createBackup({ params: { id: serverId } }), {
    message: 'The backup has started.',
    invalidates: [...changedByBackup(serverId), queryKeys.overview],
  });
  const isStarted = act.isPending || act.isSuccess;
  return (
    <Button {...look} onClick={() => act.mutate()} loading={isStarted}>
      Back up now
    </Button>
  );
};

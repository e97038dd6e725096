import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { Moment } from './display.tsx';
import classes from './step-list.module.css';

type StepState = 'done' | 'current' | 'ahead' | 'stopped';

/** For screen readers, which do not see the marks. */
const stateLabels: Record<StepState, string> = {
  done: 'done',
  current: 'current',
  ahead: 'to come',
  stopped: 'it ended here',
};

type Step = { label: string; state: StepState; at?: string | null };

type StepListProps = {
  steps: Step[];
  /** Each label is one word, so that all fit in a row on a phone too. */
  isShort?: boolean;
};

/** The way something goes: what is done, where it is, and what is to come. */
export const StepList = ({ steps, isShort = false }: StepListProps) => (
  <ol className={classes.steps} data-short={isShort || undefined}>
    {steps.map(({ label, state, at = null }, index) => (
      <li
        key={label}
        className={classes.step}
        data-state={state}
        aria-current={state === 'current' ? 'step' : undefined}
      >
        <span className={classes.mark} aria-hidden>
          <Mark state={state} place={index + 1} />
        </span>
        <Stack gap={0}>
          <Text size="sm" fw={state === 'ahead' ? 400 : 600}>
            {label}
            <VisuallyHidden>, {stateLabels[state]}</VisuallyHidden>
          </Text>
          {at && state !== 'ahead' && (
            <Text size="xs" c="dimmed">
              <Moment at={at} />
            </Text>
          )}
        </Stack>
      </li>
    ))}
  </ol>
);

const Mark = ({ state, place }: { state: StepState; place: number }) => {
  if (state === 'done') return <IconCheck size={16} />;
  if (state === 'stopped') return <IconX size={16} />;
  return (
    <Text span size="sm" fw={600}>
      {place}
    </Text>
  );
};

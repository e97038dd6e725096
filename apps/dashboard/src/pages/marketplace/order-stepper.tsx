import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { Moment } from '../../parts/moment.tsx';
import { statusWords } from './market-words.ts';
import classes from './order-stepper.module.css';
import { type OrderStep, stepsOf } from './order-steps.ts';

/** The name of a step that lies ahead says what will be, not what is. */
const aheadWords: Partial<Record<OrderStep['status'], string>> = {
  PAID: 'Payment',
  FULFILLING: 'Delivery',
  COMPLETED: 'Completion',
};

const spoken: Record<OrderStep['state'], string> = {
  done: 'done',
  now: 'now',
  ahead: 'to come',
  stopped: 'it ended here',
};

export const OrderStepper = ({ order }: { order: Parameters<typeof stepsOf>[0] }) => (
  <ol className={classes.steps}>
    {stepsOf(order).map((step, index) => (
      <li
        key={step.status}
        className={classes.step}
        data-state={step.state}
        aria-current={step.state === 'now' ? 'step' : undefined}
      >
        <span className={classes.mark} aria-hidden>
          <Mark state={step.state} place={index + 1} />
        </span>
        <Stack gap={0}>
          <Text size="sm" fw={step.state === 'ahead' ? 400 : 600}>
            {labelOf(step)}
            <VisuallyHidden>, {spoken[step.state]}</VisuallyHidden>
          </Text>
          {step.at && step.state !== 'ahead' && (
            <Text size="xs" c="dimmed">
              <Moment at={step.at} />
            </Text>
          )}
        </Stack>
      </li>
    ))}
  </ol>
);

const labelOf = ({ status, state }: OrderStep): string => {
  if (state === 'ahead') return aheadWords[status] ?? statusWords[status];
  if (state === 'done' && status === 'PENDING') return 'Placed';
  return state === 'done' && status === 'FULFILLING' ? 'Delivered' : statusWords[status];
};

const Mark = ({ state, place }: { state: OrderStep['state']; place: number }) => {
  if (state === 'done') return <IconCheck size={16} />;
  if (state === 'stopped') return <IconX size={16} />;
  return (
    <Text span size="sm" fw={600}>
      {place}
    </Text>
  );
};

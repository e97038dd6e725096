import type { OrderStatus } from '@holdfast/contract';
import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { Moment, StatusBadge } from '../../../components/display.tsx';
import { orderStatusLabels } from '../../../labels/marketplace.ts';
import {
  type OrderStep,
  orderStepLabel,
  orderSteps,
  stepStateLabels,
} from '../../../labels/orders.ts';
import type { OwnOrder } from '../../../queries/records.ts';
import classes from './order-stepper.module.css';

export const OrderStepper = ({ order }: { order: OwnOrder }) => (
  <ol className={classes.steps}>
    {orderSteps(order).map((step, index) => (
      <li
        key={step.status}
        className={classes.step}
        data-state={step.state}
        aria-current={step.state === 'current' ? 'step' : undefined}
      >
        <span className={classes.mark} aria-hidden>
          <Mark state={step.state} place={index + 1} />
        </span>
        <Stack gap={0}>
          <Text size="sm" fw={step.state === 'ahead' ? 400 : 600}>
            {orderStepLabel(step)}
            <VisuallyHidden>, {stepStateLabels[step.state]}</VisuallyHidden>
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

const Mark = ({ state, place }: { state: OrderStep['state']; place: number }) => {
  if (state === 'done') return <IconCheck size={16} />;
  if (state === 'stopped') return <IconX size={16} />;
  return (
    <Text span size="sm" fw={600}>
      {place}
    </Text>
  );
};

export const OrderBadge = ({ status }: { status: OrderStatus }) => (
  <StatusBadge status={status} label={orderStatusLabels[status]} />
);

import type { OrderStatus } from '@holdfast/contract';
import { StatusBadge } from '../../../components/display.tsx';
import { StepList } from '../../../components/step-list.tsx';
import { orderStatusLabels } from '../../../labels/marketplace.ts';
import { orderSteps } from '../../../labels/orders.ts';
import type { OwnOrder } from '../../../queries/records.ts';

export const OrderStepper = ({ order }: { order: OwnOrder }) => (
  <StepList steps={orderSteps(order)} />
);

export const OrderBadge = ({ status }: { status: OrderStatus }) => (
  <StatusBadge status={status} label={orderStatusLabels[status]} />
);

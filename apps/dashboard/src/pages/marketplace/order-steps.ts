import type { OrderStatus } from '@holdfast/contract';

type Course = {
  status: OrderStatus;
  createdAt: string;
  paidAt: string | null;
  completedAt: string | null;
  updatedAt: string;
};

export type OrderStep = {
  status: OrderStatus;
  state: 'done' | 'now' | 'ahead' | 'stopped';
  at: string | null;
};

const way: OrderStatus[] = ['PENDING', 'PAID', 'FULFILLING', 'COMPLETED'];

/** The way an order goes: behind it, where it is, and what is to come; or where it left the way. */
export const stepsOf = (order: Course): OrderStep[] => {
  const here = way.indexOf(order.status);
  if (here < 0) return stoppedSteps(order);
  return way.map((status, index) => {
    const isPassed = index < here || order.status === 'COMPLETED';
    const ahead = index === here ? 'now' : 'ahead';
    return { status, state: isPassed ? 'done' : ahead, at: timeOf(order, status) };
  });
};

const stoppedSteps = (order: Course): OrderStep[] => {
  const passed = way.slice(0, order.paidAt === null ? 1 : 2);
  return [
    ...passed.map((status) => ({ status, state: 'done' as const, at: timeOf(order, status) })),
    { status: order.status, state: 'stopped', at: order.updatedAt },
  ];
};

const timeOf = ({ createdAt, paidAt, completedAt }: Course, status: OrderStatus) => {
  if (status === 'PENDING') return createdAt;
  if (status === 'PAID') return paidAt;
  return status === 'COMPLETED' ? completedAt : null;
};

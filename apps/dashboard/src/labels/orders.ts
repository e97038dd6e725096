import type { OrderStatus } from '@holdfast/contract';
import type { OwnOrder } from '../queries/records.ts';
import { formatMoney } from './format.ts';
import { orderStatusLabels } from './marketplace.ts';

type EndStatus = Exclude<OrderStatus, 'PENDING' | 'PAID' | 'FULFILLING' | 'COMPLETED'>;
type EndLabels = { title: string; message: (order: OwnOrder) => string };

const returnedMessage = ({ role, refundedCents, totalCents, currency }: OwnOrder): string => {
  const returnedCents = totalCents - refundedCents;
  const whose = role === 'BUYER' ? 'your' : 'the buyer’s';
  const parts = [
    ...(refundedCents > 0 ? [`${formatMoney(refundedCents, currency)} to ${whose} card`] : []),
    ...(returnedCents > 0 ? [`${formatMoney(returnedCents, currency)} to ${whose} balance`] : []),
  ];
  return `The money was returned: ${parts.join(', ')}.`;
};

/** Why an order ended, and where the money is. */
export const orderEndLabels: Record<EndStatus, EndLabels> = {
  CANCELLED: {
    title: 'Cancelled',
    message: () => 'It was cancelled before it was paid. No money has moved.',
  },
  EXPIRED: {
    title: 'Expired',
    message: () => 'It was not paid in time. No money has moved; it can be ordered again.',
  },
  REFUNDED: { title: 'Refunded', message: returnedMessage },
  FAILED: {
    title: 'It could not be delivered',
    message: (order) =>
      order.paidAt === null
        ? 'The payment did not come through. No money has moved; it can be ordered again.'
        : `${returnedMessage(order)} The list of backups shows why.`,
  },
};

/** What the buyer or seller got, and what the card provider has refunded since. */
export const completedMessage = (order: OwnOrder): string => {
  const { role, totalCents, feeCents, refundedCents, currency } = order;
  const refunded = formatMoney(refundedCents, currency);
  if (role === 'BUYER') {
    const delivered = deliveredMessages[order.deliveryType];
    return refundedCents > 0 ? `${delivered} ${refunded} went back to your card.` : delivered;
  }
  const earned = `You got ${formatMoney(totalCents - feeCents, currency)} for it.`;
  return refundedCents > 0
    ? `${earned} Since then ${refunded} went back to the buyer’s card and were taken from your balance; the fee for that part came back to you.`
    : earned;
};

const deliveredMessages: Record<OwnOrder['deliveryType'], string> = {
  AUTOMATIC:
    'It is a backup of the server you chose. Look at what a restore would do before you start one.',
  MANUAL: 'The delivery is confirmed, and the seller has been paid.',
};

type OrderTimes = Pick<OwnOrder, 'status' | 'createdAt' | 'paidAt' | 'completedAt' | 'updatedAt'>;

type OrderStep = {
  status: OrderStatus;
  state: 'done' | 'current' | 'ahead' | 'stopped';
  at: string | null;
};

const path: OrderStatus[] = ['PENDING', 'PAID', 'FULFILLING', 'COMPLETED'];

/** The way an order goes: behind it, where it is, and what is to come; or where it left the path. */
export const orderSteps = (order: OrderTimes): OrderStep[] => {
  const current = path.indexOf(order.status);
  if (current < 0) return stoppedSteps(order);
  return path.map((status, index) => {
    const isPassed = index < current || order.status === 'COMPLETED';
    const ahead = index === current ? 'current' : 'ahead';
    return { status, state: isPassed ? 'done' : ahead, at: timeOf(order, status) };
  });
};

const stoppedSteps = (order: OrderTimes): OrderStep[] => {
  const passed = path.slice(0, order.paidAt === null ? 1 : 2);
  return [
    ...passed.map((status) => ({ status, state: 'done' as const, at: timeOf(order, status) })),
    { status: order.status, state: 'stopped', at: order.updatedAt },
  ];
};

const timeOf = ({ createdAt, paidAt, completedAt }: OrderTimes, status: OrderStatus) => {
  if (status === 'PENDING') return createdAt;
  if (status === 'PAID') return paidAt;
  return status === 'COMPLETED' ? completedAt : null;
};

/** A step that lies ahead is named by what will happen. */
const aheadLabels: Partial<Record<OrderStatus, string>> = {
  PAID: 'Payment',
  FULFILLING: 'Delivery',
  COMPLETED: 'Completion',
};

export const orderStepLabel = ({ status, state }: OrderStep): string => {
  if (state === 'ahead') return aheadLabels[status] ?? orderStatusLabels[status];
  if (state === 'done' && status === 'PENDING') return 'Placed';
  return state === 'done' && status === 'FULFILLING' ? 'Delivered' : orderStatusLabels[status];
};

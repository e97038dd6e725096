import type { OrderStatus } from '@holdfast/contract';
import type { OwnOrder } from '../queries/records.ts';
import { formatClock, formatMoney, formatTime } from './format.ts';
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

type OrderTimes = Pick<
  OwnOrder,
  'status' | 'createdAt' | 'paidAt' | 'completedAt' | 'updatedAt' | 'fulfillment'
>;

type OrderStep = {
  label: string;
  state: 'done' | 'current' | 'ahead' | 'stopped';
  at: string | null;
};

/** What happens to an order, in this order: once it is done, and before. */
const stepLabels = [
  { done: 'Placed', open: 'Placed' },
  { done: 'Paid', open: 'Payment' },
  { done: 'Delivered', open: 'Delivery' },
  { done: 'Completed', open: 'Completion' },
];

/** How many of the steps an order in this state has behind it. */
const stepsDone: Partial<Record<OrderStatus, number>> = {
  PENDING: 1,
  PAID: 2,
  FULFILLING: 2,
  COMPLETED: 4,
};

/** Whether the seller has reported all of it. */
export const isDelivered = ({ fulfillment }: Pick<OwnOrder, 'fulfillment'>): boolean =>
  fulfillment.delivered === fulfillment.total;

/** What has happened, what comes next and what follows; or where the order left that path. */
export const orderSteps = (order: OrderTimes): OrderStep[] => {
  const passed = stepsDone[order.status];
  if (passed === undefined) return stoppedSteps(order);
  const done = order.status === 'FULFILLING' && isDelivered(order) ? passed + 1 : passed;
  return stepLabels.map((labels, index) => {
    const at = timesOf(order)[index] ?? null;
    if (index < done) return { label: labels.done, state: 'done', at };
    return { label: labels.open, state: index === done ? 'current' : 'ahead', at };
  });
};

const stoppedSteps = (order: OrderTimes): OrderStep[] => {
  const passed = stepLabels.slice(0, order.paidAt === null ? 1 : 2);
  return [
    ...passed.map(({ done: label }, index) => ({
      ...{ label, state: 'done' as const },
      at: timesOf(order)[index] ?? null,
    })),
    { label: orderStatusLabels[order.status], state: 'stopped', at: order.updatedAt },
  ];
};

const timesOf = ({ createdAt, paidAt, completedAt }: OrderTimes) => [
  createdAt,
  paidAt,
  null,
  completedAt,
];

type Payable = Pick<OwnOrder, 'expiresAt' | 'checkoutUrl'>;

/** "Pay until 8:26 PM", with the day where it is not today; undefined where nothing can be paid. */
export const payUntilLabel = (
  { expiresAt, checkoutUrl }: Payable,
  now = Date.now(),
): string | undefined => {
  if (!expiresAt || !checkoutUrl || Date.parse(expiresAt) <= now) return undefined;
  const isToday = new Date(expiresAt).toDateString() === new Date(now).toDateString();
  return `Pay until ${isToday ? formatClock(expiresAt) : formatTime(expiresAt)}`;
};

type Acted = Pick<OwnOrder, 'status' | 'role' | 'deliveryType' | 'fulfillment' | 'checkoutUrl'>;

/** What the reader has to do about an order; undefined while it is the other's turn. */
export const orderAction = (order: Acted): 'Pay' | 'Deliver' | 'Confirm' | undefined => {
  const { status, role, deliveryType, checkoutUrl } = order;
  if (status === 'PENDING') return role === 'BUYER' && checkoutUrl ? 'Pay' : undefined;
  const isOpen = status === 'PAID' || status === 'FULFILLING';
  if (!isOpen || deliveryType === 'AUTOMATIC') return undefined;
  if (role === 'SELLER') return isDelivered(order) ? undefined : 'Deliver';
  return isDelivered(order) ? 'Confirm' : undefined;
};

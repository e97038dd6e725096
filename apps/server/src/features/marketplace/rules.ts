import type { fulfillmentStatuses, ListingCategory, OrderStatus } from '@holdfast/contract';

/**
 * How an order goes:
 *
 *   PENDING      placed, not paid for. Its price and its fee are settled.
 *   PAID         the money is here, held for the seller. A template is delivered by a job; for
 *                everything else it is the seller's turn.
 *   FULFILLING   delivery has begun.
 *   COMPLETED    delivered: the money is the seller's, but for the fee.
 *   CANCELLED    the buyer did not want it any more, before it was paid for.
 *   EXPIRED      nobody paid for it in time.
 *   REFUNDED     before it was completed, all the money was given back.
 *   FAILED       the coins never came, or it could not be delivered and the buyer has the money back.
 *
 * The last five are ends: nothing leads out of them. Money that comes for an order that has ended, or
 * that was paid for already, is given back at the provider, and becomes the buyer's credit only where that
 * refuses. Of one that is completed the card provider may still give money back: what was delivered stays
 * so, and the money is taken from its seller again. While the payer disputes the charge the money is held,
 * also that of a completed order and of one that fails meanwhile; where the dispute is lost the order is
 * REFUNDED, whatever it was.
 */
const ways = {
  pay: { from: ['PENDING'], to: 'PAID' },
  deliver: { from: ['PAID', 'FULFILLING'], to: 'FULFILLING' },
  complete: { from: ['FULFILLING'], to: 'COMPLETED' },
  cancel: { from: ['PENDING'], to: 'CANCELLED' },
  expire: { from: ['PENDING'], to: 'EXPIRED' },
  refund: { from: ['PAID', 'FULFILLING'], to: 'REFUNDED' },
  fail: { from: ['PENDING', 'PAID', 'FULFILLING'], to: 'FAILED' },
} as const satisfies Record<string, { from: OrderStatus[]; to: OrderStatus }>;

export type OrderStep = keyof typeof ways;

/** Undefined where the step cannot be taken. */
export const statusAfter = (status: OrderStatus, step: OrderStep): OrderStatus | undefined => {
  const { from, to }: { from: readonly OrderStatus[]; to: OrderStatus } = ways[step];
  return from.includes(status) ? to : undefined;
};

type Priced = {
  status: OrderStatus;
  totalCents: number;
  feeCents: number;
  refundedCents: number;
  /** While a dispute is open the money of a completed order is held, too. */
  isDisputed?: boolean;
};

const isHeld = ({ status, isDisputed = false }: Priced): boolean =>
  status === 'PAID' || status === 'FULFILLING' || isDisputed;

/** What of an order's money is held for its seller now. */
export const heldCents = (order: Priced): number => (isHeld(order) ? leftCents(order) : 0);

/** What is not held of it is the seller's, also where a lost dispute took a part of it. */
export const isWithSeller = ({ status, completedAt }: Ended): boolean =>
  status === 'COMPLETED' || (status === 'REFUNDED' && completedAt !== null);

type Ended = { status: OrderStatus; completedAt: Date | null };

/** What of it was not given back to the card. */
export const leftCents = ({ totalCents, refundedCents }: Priced): number =>
  Math.max(0, totalCents - refundedCents);

/** A percentage in whole cents, half a cent rounded up; at least one cent where neither factor is zero. */
export const feeOf = (totalCents: number, percent: number): number =>
  // In thousandths first: neither factor is a fraction, and together they stay exact.
  atLeastOneCent(Math.round((totalCents * Math.round(percent * 1000)) / 100_000), {
    isCharged: totalCents > 0 && percent > 0,
  });

/** Where a part was given back, before or after the seller had it, the fee is the same share of the rest. */
export const feeOfLeft = (order: Priced): number => {
  const left = leftCents(order);
  if (left === order.totalCents) return order.feeCents;
  const share = Math.round((order.feeCents * left) / order.totalCents);
  return atLeastOneCent(share, { isCharged: order.feeCents > 0 && left > 0 });
};

const atLeastOneCent = (cents: number, { isCharged }: { isCharged: boolean }): number =>
  isCharged ? Math.max(1, cents) : 0;

export const deliveryTypeOf = (category: ListingCategory): 'AUTOMATIC' | 'MANUAL' =>
  category === 'TEMPLATE' ? 'AUTOMATIC' : 'MANUAL';

type Delivered = {
  status: OrderStatus;
  deliveryType: 'AUTOMATIC' | 'MANUAL';
  quantity: number;
  delivered: number;
  objectsTotal: number;
  objectsDone: number;
};

const fulfillmentWords: Record<OrderStatus, (typeof fulfillmentStatuses)[number]> = {
  PENDING: 'waiting',
  PAID: 'queued',
  FULFILLING: 'running',
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
  EXPIRED: 'cancelled',
  REFUNDED: 'cancelled',
  FAILED: 'failed',
};

export const fulfillmentOf = (order: Delivered) => ({
  status: fulfillmentWords[order.status],
  progress: progressOf(order),
  delivered: order.delivered,
  total: order.quantity,
});

/** A template's by its objects, of which the last one is not yet the end. */
const progressOf = (order: Delivered): number => {
  const { status, deliveryType, quantity, delivered, objectsTotal, objectsDone } = order;
  if (status === 'COMPLETED') return 100;
  if (deliveryType === 'MANUAL') return Math.floor((delivered / quantity) * 100);
  return objectsTotal === 0 ? 0 : Math.min(99, Math.floor((objectsDone / objectsTotal) * 100));
};

import type { fulfillmentStatuses, ListingCategory, OrderStatus } from '@holdfast/contract';
import { foldCase } from '../../kernel/search-text.ts';

/**
 * The states of an order:
 *
 *   PENDING      placed, not paid for. Its price and its fee are fixed.
 *   PAID         the money is in escrow. A job delivers a template; everything else its seller delivers.
 *   FULFILLING   delivery has begun.
 *   COMPLETED    delivered: the seller has the money, less the fee.
 *   CANCELLED    cancelled by the buyer before it was paid.
 *   EXPIRED      not paid in time.
 *   REFUNDED     all the money was returned before it was completed, or its seller declined it.
 *   FAILED       the coins never came, or it could not be delivered and the buyer has the money back.
 *
 * The last five are final. A payment for an order that has ended, or that was paid before, is refunded at
 * the provider; if the provider refuses, it becomes the buyer's credit. The card provider may still refund a
 * completed order: it stays completed, and the money is taken from its seller. While the payer disputes the
 * charge the money is in escrow, also for a completed order and for one that fails meanwhile; a lost dispute
 * makes the order REFUNDED from any state.
 */
const transitions = {
  pay: { from: ['PENDING'], to: 'PAID' },
  deliver: { from: ['PAID', 'FULFILLING'], to: 'FULFILLING' },
  complete: { from: ['FULFILLING'], to: 'COMPLETED' },
  cancel: { from: ['PENDING'], to: 'CANCELLED' },
  expire: { from: ['PENDING'], to: 'EXPIRED' },
  refund: { from: ['PAID', 'FULFILLING'], to: 'REFUNDED' },
  decline: { from: ['PAID', 'FULFILLING'], to: 'REFUNDED' },
  fail: { from: ['PENDING', 'PAID', 'FULFILLING'], to: 'FAILED' },
} as const satisfies Record<string, { from: OrderStatus[]; to: OrderStatus }>;

export type OrderTransition = keyof typeof transitions;

/** Undefined where the transition is not allowed. */
export const statusAfter = (
  status: OrderStatus,
  transition: OrderTransition,
): OrderStatus | undefined => {
  const { from, to }: { from: readonly OrderStatus[]; to: OrderStatus } = transitions[transition];
  return from.includes(status) ? to : undefined;
};

type Priced = {
  totalCents: number;
  feeCents: number;
  refundedCents: number;
};

type Held = Priced & {
  status: OrderStatus;
  /** While a dispute is open the money of a completed order is in escrow, too. */
  isDisputed?: boolean;
};

const isInEscrow = ({ status, isDisputed = false }: Held): boolean =>
  status === 'PAID' || status === 'FULFILLING' || isDisputed;

/** The part of an order's money that is in escrow. */
export const escrowCents = (order: Held): number => (isInEscrow(order) ? remainingCents(order) : 0);

type Ended = { status: OrderStatus; completedAt: Date | null };

/** The seller was paid, even if a lost dispute took a part of it later. */
export const isPaidToSeller = ({ status, completedAt }: Ended): boolean =>
  status === 'COMPLETED' || (status === 'REFUNDED' && completedAt !== null);

/** What was not refunded to the card. */
export const remainingCents = ({ totalCents, refundedCents }: Priced): number =>
  Math.max(0, totalCents - refundedCents);

/** What the seller of a completed order has of it. */
export const keptCents = (order: Priced): number => remainingCents(order) - feeOfRemaining(order);

/** A percentage in whole cents, half a cent rounded up; at least one cent where neither factor is zero. */
export const feeOf = (totalCents: number, percent: number): number =>
  // The percentage in thousandths is a whole number, so the product is exact.
  atLeastOneCent(Math.round((totalCents * Math.round(percent * 1000)) / 100_000), {
    isCharged: totalCents > 0 && percent > 0,
  });

/** After a partial refund the fee is the same share of the rest. */
export const feeOfRemaining = (order: Priced): number => {
  const remaining = remainingCents(order);
  if (remaining === order.totalCents) return order.feeCents;
  const share = Math.round((order.feeCents * remaining) / order.totalCents);
  return atLeastOneCent(share, { isCharged: order.feeCents > 0 && remaining > 0 });
};

const atLeastOneCent = (cents: number, { isCharged }: { isCharged: boolean }): number =>
  isCharged ? Math.max(1, cents) : 0;

export const deliveryTypeOf = (category: ListingCategory): 'AUTOMATIC' | 'MANUAL' =>
  category === 'TEMPLATE' ? 'AUTOMATIC' : 'MANUAL';

/** By which a listing uses an upload. */
export const pictureField = 'imageUploadId';

/** No word spans both, because words have no white space in them. */
export const listingSearchText = (title: string, description: string): string =>
  foldCase(`${title}\n${description}`);

/** The words to be found, each once. */
export const searchWords = (search: string): string[] => [
  ...new Set(foldCase(search).split(/\s+/).filter(Boolean)),
];

type Delivered = {
  status: OrderStatus;
  deliveryType: 'AUTOMATIC' | 'MANUAL';
  quantity: number;
  delivered: number;
  objectsTotal: number;
  objectsDone: number;
};

const fulfillmentStatus: Record<OrderStatus, (typeof fulfillmentStatuses)[number]> = {
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
  status: fulfillmentStatus[order.status],
  progress: progressOf(order),
  delivered: order.delivered,
  total: order.quantity,
});

/** A template's progress counts its copied objects, and reaches 100 only when the order is completed. */
const progressOf = (order: Delivered): number => {
  const { status, deliveryType, quantity, delivered, objectsTotal, objectsDone } = order;
  if (status === 'COMPLETED') return 100;
  if (deliveryType === 'MANUAL') return Math.floor((delivered / quantity) * 100);
  return objectsTotal === 0 ? 0 : Math.min(99, Math.floor((objectsDone / objectsTotal) * 100));
};

/**
 * Whether an order ends with the account of one of its parties, instead of holding it up: nobody paid for it, or
 * all that its seller reported is that nothing is delivered.
 */
export const endsWithAccount = (order: Delivered & { totalCents: number }): boolean => {
  const { status, deliveryType, delivered, totalCents } = order;
  const isIdle = status === 'FULFILLING' && deliveryType === 'MANUAL' && delivered === 0;
  return statusAfter(status, 'refund') !== undefined && (totalCents === 0 || isIdle);
};

/** What counts in a listing's sales; only the first of a buyer does. */
export const isSale = ({ totalCents, delivered }: { totalCents: number; delivered: number }) =>
  totalCents > 0 && delivered > 0;

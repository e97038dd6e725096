import type { OrderStatus } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { closeCheckout } from '../../billing/pay/close-checkout.ts';
import { fulfilOrder } from '../job-names.ts';
import { countSale } from '../listings/queries.ts';
import { heldCents, leftCents, type OrderStep, statusAfter } from '../rules.ts';
import type { MarketTools } from '../tools.ts';
import { takeIntoEscrow } from './dispute-money.ts';
import { bothEntries, buyerEntry, type Cause } from './entries.ts';
import { paySeller, reclaimFromSeller, returnToBuyer, returnToCard } from './money.ts';
import { type StoredOrder, updateOrder } from './queries.ts';

/*
 * The steps of an order that is locked, each with its money. What is to be audited is given back, because
 * a transaction writes that last, in one order. Rows are locked in this order everywhere: the order, its
 * listing, balances, audit chains.
 */
export type Settled = { order: StoredOrder; entries: AuditedChange[] };

type Tools = Pick<MarketTools, 'queue' | 'clock'>;

/** Only where the rules let it: the caller has asked them, or does not care who was faster. */
const requireNext = ({ status }: StoredOrder, step: OrderStep): OrderStatus => {
  const next = statusAfter(status, step);
  if (!next) throw new Error(`An order that is ${status} cannot ${step}`);
  return next;
};

const move = (from: StoredOrder, to: StoredOrder, more: Record<string, unknown> = {}) => ({
  status: { from: from.status, to: to.status },
  ...more,
});

/** The money is held already. */
export const settlePaid = async (
  tx: Transaction,
  { queue, clock }: Tools,
  order: StoredOrder,
  cause: Cause,
): Promise<Settled> => {
  const status = requireNext(order, 'pay');
  const paid = await updateOrder(tx, order, { status, paidAt: clock.now() });
  const { id: orderId, buyerId, totalCents, feeCents, currency, payWith } = paid;
  if (paid.deliveryType === 'AUTOMATIC') {
    await queue.enqueue(tx, fulfilOrder, { orderId, accountId: buyerId }, { group: buyerId });
  }
  const changes = move(order, paid, { totalCents, feeCents, currency, payWith });
  return { order: paid, entries: bothEntries(paid, cause, { action: 'order.pay', changes }) };
};

export const settleCompleted = async (
  tx: Transaction,
  { clock }: Pick<Tools, 'clock'>,
  order: StoredOrder,
  cause: Cause,
): Promise<Settled> => {
  const status = requireNext(order, 'complete');
  await countSale(tx, { id: order.listingId, sellerId: order.sellerId });
  await paySeller(tx, order);
  // Disputed meanwhile: theirs, but held until that is decided.
  if (order.isDisputed) await takeIntoEscrow(tx, order);
  const delivered = order.deliveryType === 'AUTOMATIC' ? order.quantity : order.delivered;
  const done = await updateOrder(tx, order, { status, delivered, completedAt: clock.now() });
  const changes = move(order, done, { paidOutCents: heldCents(order) });
  return { order: done, entries: bothEntries(done, cause, { action: 'order.complete', changes }) };
};

/** Whatever is held becomes the buyer's credit; while the charge is disputed it stays held. */
export const settleReturned = async (
  tx: Transaction,
  order: StoredOrder,
  step: 'refund' | 'fail',
  cause: Cause & { error?: string },
): Promise<Settled> => {
  const status = requireNext(order, step);
  if (!order.isDisputed) await returnToBuyer(tx, order);
  const ended = await updateOrder(tx, order, { status });
  const { error } = cause;
  const changes = move(order, ended, {
    ...{ returnedCents: order.isDisputed ? 0 : heldCents(order), currency: order.currency },
    ...(error !== undefined && { error }),
  });
  const what = { action: `order.${step}`, changes };
  return { order: ended, entries: bothEntries(ended, cause, what) };
};

/** The card provider has given so much of what is held back; with the last of it the order ends. */
export const settleCardRefund = async (
  tx: Transaction,
  order: StoredOrder,
  wantedCents: number,
  cause: Cause,
): Promise<Settled> => {
  const heldBefore = heldCents(order);
  const amountCents = Math.min(heldBefore, wantedCents);
  const { currency } = order;
  await returnToCard(tx, order, wantedCents);
  const next = statusAfter(order.status, 'refund');
  const isAll = amountCents === heldBefore && next !== undefined;
  const after = await updateOrder(tx, order, {
    refundedCents: order.refundedCents + amountCents,
    ...(isAll && { status: next }),
  });
  const changes = { amountCents, currency, ...(isAll && move(order, after)) };
  return { order: after, entries: bothEntries(after, cause, { action: 'order.refund', changes }) };
};

/** The card provider has given so much back of what the seller has had already. It stays completed. */
export const settleReclaimed = async (
  tx: Transaction,
  order: StoredOrder,
  wantedCents: number,
  cause: Cause,
): Promise<Settled> => {
  const amountCents = Math.min(leftCents(order), wantedCents);
  await reclaimFromSeller(tx, order, wantedCents);
  const refundedCents = order.refundedCents + amountCents;
  const after = await updateOrder(tx, order, { refundedCents });
  const changes = { amountCents, currency: order.currency };
  return { order: after, entries: bothEntries(after, cause, { action: 'order.refund', changes }) };
};

/** One that nobody has paid for; its seller never heard of it. */
export const settleUnpaid = async (
  tx: Transaction,
  order: StoredOrder,
  step: 'cancel' | 'expire' | 'fail',
  cause: Cause,
): Promise<Settled> => {
  const ended = await updateOrder(tx, order, { status: requireNext(order, step) });
  const what = { action: `order.${step}`, changes: move(order, ended) };
  return { order: ended, entries: [buyerEntry(ended, cause, what)] };
};

/** Cancelled by its buyer: nobody can pay at its checkout any more. Coins cannot be kept from coming. */
export const settleCancelled = async (
  tx: Transaction,
  { queue }: Pick<Tools, 'queue'>,
  order: StoredOrder,
  cause: Cause,
): Promise<Settled> => {
  const { checkoutRef, payWith } = order;
  if (payWith === 'CARD' && checkoutRef !== null) {
    await queue.enqueue(tx, closeCheckout, { checkoutRef });
  }
  return settleUnpaid(tx, order, 'cancel', cause);
};

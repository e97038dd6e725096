import type { AuditAction, OrderStatus } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { markUnchanged } from '../../../http/audited.ts';
import type { Actor } from '../../../http/handler.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { conflict } from '../../../kernel/errors.ts';
import type { Queue } from '../../../queue/queue.ts';
import { type AuditedChange, recordAudits } from '../../audit/queries.ts';
import { changedFields } from '../../audit/rules.ts';
import { closeCheckout } from '../../billing/card/jobs.ts';
import { moveToEscrow } from '../money/dispute-money.ts';
import { paySeller, reclaimFromSeller, returnToBuyer, returnToCard } from '../money/order-money.ts';
import { countSale, lockListing } from '../queries/listings.ts';
import { hasEarlierSale, lockOrder, type StoredOrder, updateOrder } from '../queries/orders.ts';
import {
  escrowCents,
  isSale,
  type OrderTransition,
  remainingCents,
  statusAfter,
} from '../rules.ts';
import { buyerEntry, type Cause, entriesForBoth } from './audit-entries.ts';

/*
 * The transitions of a locked order, each with its money; `pay-order.ts` has the first one. They return the
 * audit entries, because a transaction writes them last. Rows are locked in this order everywhere: the order,
 * its listing, balances, audit chains.
 */
export type Settled = { order: StoredOrder; entries: AuditedChange[] };

export type SettleDependencies = { queue: Pick<Queue, 'enqueue'>; clock: Clock };

/** The caller has checked that the transition is allowed. */
export const requireNext = ({ status }: StoredOrder, transition: OrderTransition): OrderStatus => {
  const next = statusAfter(status, transition);
  if (!next) throw new Error(`An order that is ${status} cannot ${transition}`);
  return next;
};

export const statusChange = (
  before: StoredOrder,
  after: StoredOrder,
  others: Record<string, unknown> = {},
) => ({ status: { from: before.status, to: after.status }, ...others });

export const settleCompleted = async (
  tx: Transaction,
  { clock }: Pick<SettleDependencies, 'clock'>,
  order: StoredOrder,
  cause: Cause,
): Promise<Settled> => {
  const status = requireNext(order, 'complete');
  const delivered = order.deliveryType === 'AUTOMATIC' ? order.quantity : order.delivered;
  if (isSale({ ...order, delivered })) await countFirstSale(tx, order);
  await paySeller(tx, order);
  // While a dispute is open the seller's money goes back to escrow until it is decided.
  if (order.isDisputed) await moveToEscrow(tx, order);
  const completed = await updateOrder(tx, order, { status, delivered, completedAt: clock.now() });
  const changes = statusChange(order, completed, { paidOutCents: escrowCents(order) });
  const entries = entriesForBoth(completed, cause, { action: 'order.complete', changes });
  return { order: completed, entries };
};

/** The lock makes two orders of one buyer count one after the other. */
const countFirstSale = async (tx: Transaction, order: StoredOrder): Promise<void> => {
  const listing = { id: order.listingId, sellerId: order.sellerId };
  await lockListing(tx, listing);
  if (!(await hasEarlierSale(tx, order))) await countSale(tx, listing);
};

const actions = {
  cancel: 'order.cancel',
  expire: 'order.expire',
  fail: 'order.fail',
  refund: 'order.refund',
  decline: 'order.decline',
} as const satisfies Partial<Record<OrderTransition, AuditAction>>;

/** What is in escrow becomes the buyer's credit; while the charge is disputed it stays in escrow. */
export const settleReturned = async (
  tx: Transaction,
  order: StoredOrder,
  transition: 'refund' | 'decline' | 'fail',
  cause: Cause & { error?: string },
): Promise<Settled> => {
  const status = requireNext(order, transition);
  if (!order.isDisputed) await returnToBuyer(tx, order);
  const ended = await updateOrder(tx, order, { status });
  const { error } = cause;
  const changes = statusChange(order, ended, {
    ...{ returnedCents: order.isDisputed ? 0 : escrowCents(order), currency: order.currency },
    ...(error !== undefined && { error }),
  });
  const entries = entriesForBoth(ended, cause, { action: actions[transition], changes });
  return { order: ended, entries };
};

/** The operator returns a buyer's money. Undefined where the money is not in escrow. */
export const refundOrder = async (tx: Transaction, orderId: string, actor: Actor) => {
  const order = await lockOrder(tx, orderId);
  // The card provider decides about a disputed charge.
  if (!order || order.isDisputed || !statusAfter(order.status, 'refund')) return undefined;
  const { order: refunded, entries } = await settleReturned(tx, order, 'refund', { actor });
  await recordAudits(tx, entries);
  return refunded;
};

/** The card provider has refunded a part of what is in escrow; the order ends with the last part. */
export const settleCardRefund = async (
  tx: Transaction,
  order: StoredOrder,
  refundCents: number,
  cause: Cause,
): Promise<Settled> => {
  const escrowBefore = escrowCents(order);
  const amountCents = Math.min(escrowBefore, refundCents);
  const { currency } = order;
  await returnToCard(tx, order, refundCents);
  const next = statusAfter(order.status, 'refund');
  const isAll = amountCents === escrowBefore && next !== undefined;
  const after = await updateOrder(tx, order, {
    refundedCents: order.refundedCents + amountCents,
    ...(isAll && { status: next }),
  });
  const changes = { amountCents, currency, ...(isAll && statusChange(order, after)) };
  return {
    order: after,
    entries: entriesForBoth(after, cause, { action: actions.refund, changes }),
  };
};

/** The card provider has refunded a part of what the seller was paid. The order stays completed. */
export const settleReclaimed = async (
  tx: Transaction,
  order: StoredOrder,
  refundCents: number,
  cause: Cause,
): Promise<Settled> => {
  const amountCents = Math.min(remainingCents(order), refundCents);
  await reclaimFromSeller(tx, order, refundCents);
  const refundedCents = order.refundedCents + amountCents;
  const after = await updateOrder(tx, order, { refundedCents });
  const changes = { amountCents, currency: order.currency };
  return {
    order: after,
    entries: entriesForBoth(after, cause, { action: actions.refund, changes }),
  };
};

/** Ends an order that was never paid, so only its buyer gets an audit entry. */
export const settleUnpaid = async (
  tx: Transaction,
  order: StoredOrder,
  transition: 'cancel' | 'expire' | 'fail',
  cause: Cause,
): Promise<Settled> => {
  const ended = await updateOrder(tx, order, { status: requireNext(order, transition) });
  const change = { action: actions[transition], changes: statusChange(order, ended) };
  return { order: ended, entries: [buyerEntry(ended, cause, change)] };
};

/** Also closes the card checkout. A payment in coins cannot be prevented. */
export const settleCancelled = async (
  tx: Transaction,
  { queue }: Pick<SettleDependencies, 'queue'>,
  order: StoredOrder,
  cause: Cause,
): Promise<Settled> => {
  const { checkoutRef, payWith } = order;
  if (payWith === 'CARD' && checkoutRef !== null) {
    await queue.enqueue(tx, closeCheckout, { checkoutRef, accountId: order.buyerId });
  }
  return settleUnpaid(tx, order, 'cancel', cause);
};

type DeliveryReport = { delivered: number; actor: Actor; accountId: string };

/** Stores how much the seller says was delivered so far; that never decreases. */
export const reportDelivery = async (
  tx: Transaction,
  { clock }: Pick<SettleDependencies, 'clock'>,
  order: StoredOrder,
  { delivered, actor, accountId }: DeliveryReport,
): Promise<StoredOrder> => {
  const status = statusAfter(order.status, 'deliver');
  if (!status) throw conflict(`This order is ${order.status}: nothing can be delivered`);
  if (delivered < order.delivered) {
    throw conflict(`${order.delivered} were reported as delivered already`);
  }
  const changes = changedFields(order, { status, delivered });
  if (Object.keys(changes).length === 0) {
    markUnchanged(tx);
    return order;
  }
  const reported = await updateOrder(tx, order, {
    ...{ status, delivered },
    ...(delivered === order.quantity && { deliveredAt: clock.now() }),
  });
  const change = { action: 'order.deliver', changes } as const;
  await recordAudits(tx, entriesForBoth(reported, { actor, accountId }, change));
  return reported;
};

import type { AuditAction } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { type AuditedChange, recordAudits } from '../../audit/queries.ts';
import type { OrderDispute } from '../../billing/events/order-payments.ts';
import { enqueueDelivery } from '../delivery/jobs.ts';
import {
  holdCredit,
  loseCredit,
  loseDispute,
  moveToEscrow,
  releaseCredit,
  releaseToBuyer,
  releaseToSeller,
} from '../money/dispute-money.ts';
import { buyerEntry, type Cause, entriesForBoth } from '../orders/audit-entries.ts';
import type { SettleDependencies } from '../orders/settle.ts';
import { findPaymentByIntent, type StoredPayment } from '../queries/order-payments.ts';
import { lockOrder, type StoredOrder, updateOrder } from '../queries/orders.ts';
import { isPaidToSeller, remainingCents } from '../rules.ts';

type DisputeDependencies = Pick<SettleDependencies, 'queue'>;
type DisputeChange = OrderDispute & { cause: Cause };

/**
 * While a dispute is open the order's money is held in escrow, taken back from the seller if they were paid.
 * If the money had become the buyer's credit, the credit is held instead. Undefined where the charge paid for
 * no order.
 */
export const applyDispute = async (
  tx: Transaction,
  dependencies: DisputeDependencies,
  cause: Cause,
  dispute: OrderDispute,
): Promise<{ accountId: string; heldCents: number } | undefined> => {
  const found = await findPaymentByIntent(tx, dispute.intent);
  const order = found && (await lockOrder(tx, found.orderId));
  const payment = order && (await findPaymentByIntent(tx, dispute.intent));
  if (!order || !payment || payment.amountCents === 0) return undefined;
  // What the payer's bank says in another currency cannot be compared: it is about the whole payment.
  const isForeign = dispute.currency !== payment.currency;
  const amountCents = isForeign ? payment.amountCents : dispute.amountCents;
  const change = { ...dispute, amountCents, cause };
  const { heldCents, entries } =
    !payment.isCredited && belongsToSeller(order)
      ? await disputeSale(tx, dependencies, order, change)
      : await disputeCredit(tx, order, payment, change);
  await recordAudits(tx, entries);
  return { accountId: order.buyerId, heldCents };
};

/** The money is in escrow, held by an open dispute, or was paid to the seller. */
const belongsToSeller = (order: StoredOrder): boolean =>
  isInProgress(order) || isPaidToSeller(order) || order.isDisputed;

const isInProgress = ({ status }: StoredOrder): boolean =>
  status === 'PAID' || status === 'FULFILLING';

type Effect = { heldCents: number; entries: AuditedChange[] };

const disputeSale = async (
  tx: Transaction,
  dependencies: DisputeDependencies,
  order: StoredOrder,
  { from, to, amountCents, isOnlyOne, cause }: DisputeChange,
): Promise<Effect> => {
  const changes = { amountCents, currency: order.currency };
  if (to === 'WON') {
    const released = isOnlyOne && order.isDisputed ? await release(tx, dependencies, order) : order;
    const entry = { action: 'order.dispute_won' as const, changes };
    return { heldCents: 0, entries: from === null ? [] : entriesForBoth(released, cause, entry) };
  }
  if (!order.isDisputed && isPaidToSeller(order)) await moveToEscrow(tx, order);
  if (to === 'OPEN') {
    const disputed = await updateOrder(tx, order, { isDisputed: true });
    const entry = { action: 'order.dispute' as const, changes };
    return { heldCents: 0, entries: entriesForBoth(disputed, cause, entry) };
  }
  const lostCents = await loseDispute(tx, order, amountCents);
  const lost = await updateOrder(tx, order, {
    ...{ status: 'REFUNDED', isDisputed: true },
    refundedCents: order.refundedCents + lostCents,
  });
  // While another dispute is open, the rest stays in escrow.
  if (isOnlyOne) await release(tx, dependencies, lost);
  const status = { from: order.status, to: lost.status };
  const entry = { action: 'order.dispute_lost' as const, changes: { ...changes, status } };
  return { heldCents: 0, entries: entriesForBoth(lost, cause, entry) };
};

/**
 * Ends the hold: the seller of a completed order has the money again, and an order in progress is delivered.
 * If the order has ended otherwise meanwhile, the rest becomes the buyer's credit.
 */
const release = async (tx: Transaction, dependencies: DisputeDependencies, order: StoredOrder) => {
  if (isPaidToSeller(order)) await releaseToSeller(tx, order);
  else if (isInProgress(order)) await enqueueDelivery(tx, dependencies, order);
  else await releaseToBuyer(tx, order);
  return updateOrder(tx, order, { isDisputed: false });
};

/** The part of the payment that became the buyer's credit: nothing of one that the provider refunds. */
const creditedCents = (order: StoredOrder, payment: StoredPayment): number => {
  if (!payment.isCredited) return order.status === 'PENDING' ? 0 : remainingCents(order);
  return payment.lateState === 'CREDITED' ? payment.amountCents - payment.returnedCents : 0;
};

const disputeCredit = async (
  tx: Transaction,
  order: StoredOrder,
  payment: StoredPayment,
  { from, to, amountCents, heldCents, cause }: DisputeChange,
): Promise<Effect> => {
  const { currency } = order;
  const maxCents = Math.min(amountCents, creditedCents(order, payment));
  const changes = { amountCents, currency };
  const entry = (action: AuditAction) => [buyerEntry(order, cause, { action, changes })];
  if (to === 'WON') {
    await releaseCredit(tx, order, heldCents);
    return { heldCents: 0, entries: from === null ? [] : entry('order.dispute_won') };
  }
  const held = heldCents + (await holdCredit(tx, order, maxCents - heldCents));
  if (to === 'OPEN') return { heldCents: held, entries: entry('order.dispute') };
  await loseCredit(tx, order, { heldCents: held, lostCents: maxCents });
  return { heldCents: 0, entries: entry('order.dispute_lost') };
};

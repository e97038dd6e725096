import type { Transaction } from '../../../db/connect.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import type { OrderDispute } from '../../billing/tools.ts';
import { fulfilOrder } from '../job-names.ts';
import { isWithSeller, leftCents } from '../rules.ts';
import type { MarketTools } from '../tools.ts';
import {
  holdCredit,
  loseCredit,
  loseDispute,
  releaseCredit,
  releaseToBuyer,
  releaseToSeller,
  takeIntoEscrow,
} from './dispute-money.ts';
import { bothEntries, buyerEntry, type Cause } from './entries.ts';
import { findByIntent } from './payments/queries.ts';
import { lockOrder, type StoredOrder, updateOrder } from './queries.ts';

type Tools = Pick<MarketTools, 'queue'>;
type Step = OrderDispute & { cause: Cause };
type Taken = { accountId: string; heldCents: number };
type Paid = NonNullable<Awaited<ReturnType<typeof findByIntent>>>;

/**
 * The payer of an order disputes the charge. While that is open the order's money is held apart, and taken
 * back from its seller where they had it. Where the money had become the buyer's credit, that is held
 * instead. Undefined where the charge paid for no order.
 */
export const takeDispute = async (
  tx: Transaction,
  tools: Tools,
  cause: Cause,
  dispute: OrderDispute,
): Promise<Taken | undefined> => {
  const found = await findByIntent(tx, dispute.intent);
  const order = found && (await lockOrder(tx, found.orderId));
  const payment = order && (await findByIntent(tx, dispute.intent));
  if (!order || !payment || payment.amountCents === 0) return undefined;
  const isSellers = !payment.isCredited && isTheSellers(order);
  const step = { ...dispute, cause };
  const { heldCents, entries } = isSellers
    ? await disputeSale(tx, tools, order, step)
    : await disputeCredit(tx, order, payment, step);
  await recordAudits(tx, entries);
  return { accountId: order.buyerId, heldCents };
};

/** Its money is held for the seller, by an open dispute, or was the seller's before one took a part of it. */
const isTheSellers = (order: StoredOrder): boolean =>
  isUnderWay(order) || isWithSeller(order) || order.isDisputed;

const isUnderWay = ({ status }: StoredOrder): boolean =>
  status === 'PAID' || status === 'FULFILLING';

type Effect = { heldCents: number; entries: AuditedChange[] };

const disputeSale = async (
  tx: Transaction,
  tools: Tools,
  order: StoredOrder,
  { from, to, amountCents, isOnlyOne, cause }: Step,
): Promise<Effect> => {
  const changes = { amountCents, currency: order.currency };
  if (to === 'WON') {
    const released = isOnlyOne && order.isDisputed ? await release(tx, tools, order) : order;
    const what = { action: 'order.dispute_won', changes };
    return { heldCents: 0, entries: from === null ? [] : bothEntries(released, cause, what) };
  }
  if (!order.isDisputed && isWithSeller(order)) await takeIntoEscrow(tx, order);
  if (to === 'OPEN') {
    const frozen = await updateOrder(tx, order, { isDisputed: true });
    const what = { action: 'order.dispute', changes };
    return { heldCents: 0, entries: bothEntries(frozen, cause, what) };
  }
  const takenCents = await loseDispute(tx, order, amountCents);
  const lost = await updateOrder(tx, order, {
    ...{ status: 'REFUNDED', isDisputed: true },
    refundedCents: order.refundedCents + takenCents,
  });
  // Another dispute may still take the rest of it.
  if (isOnlyOne) await release(tx, tools, lost);
  const status = { from: order.status, to: lost.status };
  const what = { action: 'order.dispute_lost', changes: { ...changes, status } };
  return { heldCents: 0, entries: bothEntries(lost, cause, what) };
};

/**
 * As before: what was completed is the seller's again, and what waited to be delivered is. What is left of
 * one that ended otherwise meanwhile is the buyer's.
 */
const release = async (tx: Transaction, { queue }: Tools, order: StoredOrder) => {
  if (isWithSeller(order)) await releaseToSeller(tx, order);
  else if (!isUnderWay(order)) await releaseToBuyer(tx, order);
  else if (order.deliveryType === 'AUTOMATIC') {
    const { id: orderId, buyerId } = order;
    await queue.enqueue(tx, fulfilOrder, { orderId, accountId: buyerId }, { group: buyerId });
  }
  return updateOrder(tx, order, { isDisputed: false });
};

/** What of the payment had become the buyer's credit; one that the provider gives back has not. */
const creditedCents = (order: StoredOrder, payment: Paid): number => {
  if (!payment.isCredited) return order.status === 'PENDING' ? 0 : leftCents(order);
  return payment.lateState === 'CREDITED' ? payment.amountCents - payment.returnedCents : 0;
};

const disputeCredit = async (
  tx: Transaction,
  order: StoredOrder,
  payment: Paid,
  { from, to, amountCents, heldCents, cause }: Step,
): Promise<Effect> => {
  const { currency } = order;
  const most = Math.min(amountCents, creditedCents(order, payment));
  const changes = { amountCents, currency };
  const entry = (action: string) => [buyerEntry(order, cause, { action, changes })];
  if (to === 'WON') {
    await releaseCredit(tx, order, heldCents);
    return { heldCents: 0, entries: from === null ? [] : entry('order.dispute_won') };
  }
  const held = heldCents + (await holdCredit(tx, order, most - heldCents));
  if (to === 'OPEN') return { heldCents: held, entries: entry('order.dispute') };
  await loseCredit(tx, order, { heldCents: held, lostCents: most });
  return { heldCents: 0, entries: entry('order.dispute_lost') };
};

import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import type { OrderRefund, Settlement } from '../../billing/tools.ts';
import { isWithSeller, statusAfter } from '../rules.ts';
import { buyerEntry, type Cause } from './entries.ts';
import { takeCreditBack } from './money.ts';
import { addAhead, findByIntent, findUnnamed, tellReturned } from './payments/queries.ts';
import { lockOrder, type StoredOrder } from './queries.ts';
import { settleCardRefund, settleReclaimed } from './settle.ts';

/**
 * Money that went back to the card, and so is never the buyer's balance as well. It is taken from where it
 * is by then: held for the seller, the seller's, or the buyer's balance where the order gave it back to
 * them. Undefined where it is no order's.
 */
export const takeRefund = async (
  tx: Transaction,
  cause: Cause,
  refund: OrderRefund,
): Promise<Settlement | undefined> => {
  const order = await lockRefunded(tx, refund);
  if (!order) return undefined;
  const payment = await findRefunded(tx, order, refund);
  const settled = { accountId: order.buyerId };
  if (payment?.amountCents === 0) return { ...settled, outcome: 'IGNORED' };
  if (payment && payment.currency !== refund.currency) return { ...settled, outcome: 'MISMATCH' };
  await recordAudits(tx, await book(tx, order, payment, { ...refund, cause }));
  return { ...settled, outcome: 'APPLIED' };
};

const lockRefunded = async (
  tx: Transaction,
  { orderId, paymentIntent }: OrderRefund,
): Promise<StoredOrder | undefined> => {
  const byIntent = paymentIntent === null ? undefined : await findByIntent(tx, paymentIntent);
  const id = byIntent?.orderId ?? z.guid().safeParse(orderId).data;
  return id === undefined ? undefined : lockOrder(tx, id);
};

type Paid = NonNullable<Awaited<ReturnType<typeof findByIntent>>>;

/** Asked under the order's lock: the payment may have been told in this moment. */
const findRefunded = async (
  tx: Transaction,
  { id }: StoredOrder,
  { paymentIntent: intent }: OrderRefund,
): Promise<Paid | undefined> =>
  (intent === null ? undefined : await findByIntent(tx, intent)) ?? findUnnamed(tx, id, intent);

const book = async (
  tx: Transaction,
  order: StoredOrder,
  payment: Paid | undefined,
  { amountCents, currency, paymentIntent: intent, cause }: OrderRefund & { cause: Cause },
): Promise<AuditedChange[]> => {
  const isSellers = payment?.isCredited === false;
  if (payment && payment.lateState !== null && payment.lateState !== 'CREDITED') {
    await tellReturned(tx, payment, amountCents);
    const what = { action: 'order.refund', changes: { amountCents, currency } };
    return [buyerEntry(order, cause, what)];
  }
  if (isSellers && (statusAfter(order.status, 'refund') || order.isDisputed)) {
    return (await settleCardRefund(tx, order, amountCents, cause)).entries;
  }
  if (isSellers && isWithSeller(order)) {
    return (await settleReclaimed(tx, order, amountCents, cause)).entries;
  }
  if (payment) await takeCreditBack(tx, order, { amountCents, currency });
  else await addAhead(tx, { orderId: order.id, intent, amountCents, currency });
  const what = { action: 'order.refund', changes: { amountCents, currency } };
  return [buyerEntry(order, cause, what)];
};

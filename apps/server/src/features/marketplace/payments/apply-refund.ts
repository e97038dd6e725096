import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { type AuditedChange, recordAudits } from '../../audit/queries.ts';
import type { EventResult, OrderRefund } from '../../billing/events/order-payments.ts';
import { reclaimCredit } from '../money/order-money.ts';
import { buyerEntry, type Cause } from '../orders/audit-entries.ts';
import { settleCardRefund, settleReclaimed } from '../orders/settle.ts';
import {
  addEarlyRefund,
  addReturnedCents,
  findPaymentByIntent,
  findUnidentifiedPayment,
  type StoredPayment,
} from '../queries/order-payments.ts';
import { lockOrder, type StoredOrder } from '../queries/orders.ts';
import { isPaidToSeller, statusAfter } from '../rules.ts';

/**
 * A refund to the card never becomes the buyer's credit as well. It is taken from where the money is: the
 * escrow, the seller's earnings, or the buyer's credit if the order returned it. Undefined where the charge
 * paid for no order.
 */
export const applyRefund = async (
  tx: Transaction,
  cause: Cause,
  refund: OrderRefund,
): Promise<EventResult | undefined> => {
  const { orderId, paymentIntent: intent, currency } = refund;
  const byIntent = intent === null ? undefined : await findPaymentByIntent(tx, intent);
  const id = byIntent?.orderId ?? z.guid().safeParse(orderId).data;
  const order = id === undefined ? undefined : await lockOrder(tx, id);
  if (!order) return undefined;
  // Read again under the order's lock: the payment may have arrived meanwhile.
  const payment =
    (intent === null ? undefined : await findPaymentByIntent(tx, intent)) ??
    (await findUnidentifiedPayment(tx, order.id, intent));
  const result = { accountId: order.buyerId };
  if (payment?.amountCents === 0) return { ...result, outcome: 'IGNORED' };
  const isForeign = (payment ?? order).currency !== currency;
  if (isForeign) return { ...result, outcome: 'MISMATCH' };
  await recordAudits(tx, await settleRefund(tx, order, payment, { ...refund, cause }));
  return { ...result, outcome: 'APPLIED' };
};

const settleRefund = async (
  tx: Transaction,
  order: StoredOrder,
  payment: StoredPayment | undefined,
  { amountCents, currency, paymentIntent: intent, cause }: OrderRefund & { cause: Cause },
): Promise<AuditedChange[]> => {
  const isForSeller = payment?.isCredited === false;
  const change = { action: 'order.refund', changes: { amountCents, currency } } as const;
  if (payment && payment.lateState !== null && payment.lateState !== 'CREDITED') {
    await addReturnedCents(tx, payment, amountCents);
    return [buyerEntry(order, cause, change)];
  }
  if (isForSeller && (statusAfter(order.status, 'refund') || order.isDisputed)) {
    return (await settleCardRefund(tx, order, amountCents, cause)).entries;
  }
  if (isForSeller && isPaidToSeller(order)) {
    return (await settleReclaimed(tx, order, amountCents, cause)).entries;
  }
  if (payment) await reclaimCredit(tx, order, { amountCents, currency });
  else await addEarlyRefund(tx, { orderId: order.id, intent, amountCents, currency });
  return [buyerEntry(order, cause, change)];
};

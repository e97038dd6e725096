import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import {
  billingActor,
  type OrderDesk,
  type OrderEnding,
  type OrderRefund,
  type Payment,
  type Settlement,
} from '../../billing/tools.ts';
import { recordAudits } from '../record-audits.ts';
import { heldCents, statusAfter } from '../rules.ts';
import type { MarketTools } from '../tools.ts';
import { buyerEntry, type Cause } from './entries.ts';
import { creditBuyer, holdMoney, takeCreditBack } from './money.ts';
import { findByIntent, findFirstPayment, insertPayment } from './payments/queries.ts';
import { findBuyerOf, lockOrder, type StoredOrder, updateOrder } from './queries.ts';
import { settleCardRefund, settlePaid, settleUnpaid } from './settle.ts';

type Tools = Pick<MarketTools, 'queue' | 'clock'>;

/** Where billing brings what the payment providers tell about orders. */
export const createOrderDesk = (tools: Tools): OrderDesk => ({
  pay: (tx, eventId, payment) => takePayment(tx, tools, causeOf(eventId), payment),
  refund: (tx, eventId, refund) => takeRefund(tx, causeOf(eventId), refund),
  end: (tx, eventId, ending) => endUnpaid(tx, causeOf(eventId), ending),
  async findBuyer(tx, orderId) {
    const id = idIn(orderId);
    return id === undefined ? null : findBuyerOf(tx, id);
  },
});

const causeOf = (eventId: string): Cause => ({ actor: billingActor, events: [eventId] });

/** Providers give back whatever name they were given: any text. */
const idIn = (text: string | null): string | undefined => z.guid().safeParse(text).data;

const findNamed = async (tx: Transaction, text: string): Promise<StoredOrder | undefined> => {
  const id = idIn(text);
  return id === undefined ? undefined : lockOrder(tx, id);
};

const settled = (outcome: Settlement['outcome'], { buyerId }: StoredOrder): Settlement => ({
  outcome,
  userId: buyerId,
});

/** Not what was asked for pays nothing, and the order can still be paid as it is. */
const takePayment = async (
  tx: Transaction,
  tools: Tools,
  cause: Cause,
  payment: Payment,
): Promise<Settlement | undefined> => {
  const order = await findNamed(tx, payment.paidFor);
  if (!order) return undefined;
  const { amountCents = order.totalCents, currency = order.currency, provider } = payment;
  const isPayable = statusAfter(order.status, 'pay') !== undefined;
  const isWhole = amountCents === order.totalCents && currency === order.currency;
  if (amountCents === null || currency === null || (isPayable && !isWhole)) {
    return settled('MISMATCH', order);
  }
  const isNew = await insertPayment(tx, {
    ...{ orderId: order.id, provider, amountCents, currency, isCredited: !isPayable },
    providerRef: payment.providerRef ?? cause.events?.[0] ?? order.id,
    paymentIntent: payment.paymentIntent,
  });
  if (!isNew) return settled('IGNORED', order);
  if (isPayable) await payFor(tx, tools, order, { cause, provider });
  else await creditLate(tx, order, { cause, provider, amountCents, currency });
  return settled('APPLIED', order);
};

type Told = { cause: Cause; provider: Payment['provider'] };

const payFor = async (
  tx: Transaction,
  tools: Tools,
  order: StoredOrder,
  { cause, provider }: Told,
): Promise<void> => {
  await holdMoney(tx, order, provider);
  const paid = await settlePaid(tx, tools, order, cause);
  // The refund was told before the payment.
  const { refundedCents } = order;
  const refunded =
    refundedCents > 0 ? await settleCardRefund(tx, paid.order, refundedCents, cause) : undefined;
  await recordAudits(tx, [...paid.entries, ...(refunded?.entries ?? [])]);
};

/** Paid twice, or after the order had ended: the money is the buyer's. */
const creditLate = async (
  tx: Transaction,
  order: StoredOrder,
  { cause, provider, amountCents, currency }: Told & { amountCents: number; currency: string },
): Promise<void> => {
  // Of one that was never paid for, what was refunded is of this very payment.
  const refundedCents = order.paidAt === null ? Math.min(order.refundedCents, amountCents) : 0;
  const credited = { amountCents: amountCents - refundedCents, currency };
  await creditBuyer(tx, order, provider, credited);
  if (refundedCents > 0) {
    await updateOrder(tx, order, { refundedCents: order.refundedCents - refundedCents });
  }
  await recordAudits(tx, [buyerEntry(order, cause, { action: 'order.credit', changes: credited })]);
};

/**
 * What is held goes back to the card, what became the buyer's balance is taken from there. What is the
 * seller's by now stays so: then it is billing's matter, as any other refund.
 */
const takeRefund = async (
  tx: Transaction,
  cause: Cause,
  { orderId, paymentIntent, amountCents, currency }: OrderRefund,
): Promise<Settlement | undefined> => {
  const byIntent = paymentIntent === null ? undefined : await findByIntent(tx, paymentIntent);
  const id = byIntent?.orderId ?? idIn(orderId);
  const order = id === undefined ? undefined : await lockOrder(tx, id);
  if (!order || order.currency !== currency) return undefined;
  const payment = byIntent ?? (await findFirstPayment(tx, order.id));
  if (!payment && order.payWith !== 'CARD') return undefined;
  const isHeld = payment?.isCredited === false && heldCents(order) > 0;
  if (isHeld) {
    const { entries } = await settleCardRefund(tx, order, amountCents, cause);
    await recordAudits(tx, entries);
    return settled('APPLIED', order);
  }
  if (payment?.isCredited === false && order.status === 'COMPLETED') return undefined;
  if (payment) await takeCreditBack(tx, order, { amountCents, currency });
  else await updateOrder(tx, order, { refundedCents: order.refundedCents + amountCents });
  const what = { action: 'order.refund', changes: { amountCents, currency } };
  await recordAudits(tx, [buyerEntry(order, cause, what)]);
  return settled('APPLIED', order);
};

const endUnpaid = async (
  tx: Transaction,
  cause: Cause,
  { orderId, why }: OrderEnding,
): Promise<Settlement | undefined> => {
  const order = await findNamed(tx, orderId);
  if (!order) return undefined;
  if (order.status !== 'PENDING') return settled('IGNORED', order);
  const { entries } = await settleUnpaid(tx, order, why, cause);
  await recordAudits(tx, entries);
  return settled('APPLIED', order);
};

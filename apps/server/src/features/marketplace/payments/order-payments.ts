import type { AuditAction } from '@holdfast/contract';
import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { recordAudits } from '../../audit/queries.ts';
import {
  billingActor,
  type EventResult,
  type OrderPayments,
  type Payment,
  type PaymentDelay,
  type PaymentEnding,
} from '../../billing/events/order-payments.ts';
import { findClearing } from '../money/clearing.ts';
import { type Amount, creditBuyer, reclaimCredit } from '../money/order-money.ts';
import { buyerEntry, type Cause } from '../orders/audit-entries.ts';
import { type PayDependencies, payOrder } from '../orders/pay-order.ts';
import { settleCardRefund, settleUnpaid } from '../orders/settle.ts';
import {
  consumeEarlyRefunds,
  insertMismatch,
  insertPayment,
  updatePayment,
} from '../queries/order-payments.ts';
import {
  findBuyer,
  findOrderSummary,
  lockOrder,
  type StoredOrder,
  updateOrder,
} from '../queries/orders.ts';
import { statusAfter } from '../rules.ts';
import { applyDispute } from './apply-dispute.ts';
import { applyRefund } from './apply-refund.ts';
import { returnLatePayment } from './return-payment.ts';

type OrderPaymentDependencies = PayDependencies & {
  /** Whether a card provider is set up that could refund a payment. */
  canReturn: boolean;
};

/** The functions that billing calls for the providers' events about orders. */
export const createOrderPayments = (dependencies: OrderPaymentDependencies): OrderPayments => ({
  pay: (tx, eventId, payment) => applyPayment(tx, dependencies, causeOf(eventId), payment),
  refund: (tx, eventId, refund) => applyRefund(tx, causeOf(eventId), refund),
  dispute: (tx, events, dispute) =>
    applyDispute(tx, dependencies, { actor: billingActor, events }, dispute),
  await: (tx, eventId, delay) => awaitPayment(tx, causeOf(eventId), delay),
  end: (tx, eventId, ending) => applyEnding(tx, causeOf(eventId), ending),
  async findBuyer(tx, orderId) {
    const id = parseId(orderId);
    return id === undefined ? null : findBuyer(tx, id);
  },
  describe: findOrderSummary,
  findClearing: (db, earnings) => findClearing(db, dependencies, earnings),
});

const causeOf = (eventId: string): Cause => ({ actor: billingActor, events: [eventId] });

/** Providers return our reference as any text. */
const parseId = (text: string | null): string | undefined => z.guid().safeParse(text).data;

const lockNamedOrder = async (tx: Transaction, text: string): Promise<StoredOrder | undefined> => {
  const id = parseId(text);
  return id === undefined ? undefined : lockOrder(tx, id);
};

const resultOf = (outcome: EventResult['outcome'], { buyerId }: StoredOrder): EventResult => ({
  outcome,
  accountId: buyerId,
});

/** A wrong amount pays nothing; the order can still be paid in full. */
const applyPayment = async (
  tx: Transaction,
  dependencies: OrderPaymentDependencies,
  cause: Cause,
  payment: Payment,
): Promise<EventResult | undefined> => {
  const order = await lockNamedOrder(tx, payment.paidFor);
  if (!order) return undefined;
  const { id: orderId } = order;
  const { amountCents, currency, provider } = payment;
  const isPayable = statusAfter(order.status, 'pay') !== undefined;
  const isExact = amountCents === order.totalCents && currency === order.currency;
  const { paymentIntent: intent } = payment;
  const row = {
    ...{ orderId, provider, paymentIntent: intent, isCredited: !isPayable },
    providerRef: payment.providerRef ?? cause.events?.[0] ?? orderId,
  };
  if (amountCents === null || currency === null || (isPayable && !isExact)) {
    await insertMismatch(tx, { ...row, amountCents: 0, currency: order.currency });
    if (intent !== null) await consumeEarlyRefunds(tx, { orderId, intent });
    return resultOf('MISMATCH', order);
  }
  const id = await insertPayment(tx, { ...row, amountCents, currency });
  if (id === undefined) return resultOf('IGNORED', order);
  const earlyRefundCents =
    provider === 'CARD' ? await consumeEarlyRefunds(tx, { orderId, intent }) : 0;
  const arrived = { cause, provider, earlyRefundCents };
  if (isPayable) await applyFirstPayment(tx, dependencies, order, arrived);
  else {
    const late = { id, orderId, canReturn: dependencies.canReturn && intent !== null };
    await applyLatePayment(tx, dependencies, order, { ...arrived, amountCents, currency, late });
  }
  return resultOf('APPLIED', order);
};

type ArrivedPayment = {
  cause: Cause;
  provider: Payment['provider'];
  /** What the provider refunded before it reported the payment. */
  earlyRefundCents: number;
};

const applyFirstPayment = async (
  tx: Transaction,
  dependencies: OrderPaymentDependencies,
  order: StoredOrder,
  { cause, provider, earlyRefundCents }: ArrivedPayment,
): Promise<void> => {
  const paid = await payOrder(tx, dependencies, order, { paidWith: provider, cause });
  const refunded =
    earlyRefundCents > 0
      ? await settleCardRefund(tx, paid.order, earlyRefundCents, cause)
      : undefined;
  await recordAudits(tx, [...paid.entries, ...(refunded?.entries ?? [])]);
};

type LatePayment = { late: { id: string; orderId: string; canReturn: boolean } };

/**
 * A second payment, or one after the order had ended. The card provider is asked to refund it; a payment
 * that cannot be refunded becomes the buyer's credit.
 */
const applyLatePayment = async (
  tx: Transaction,
  { queue }: OrderPaymentDependencies,
  order: StoredOrder,
  payment: ArrivedPayment & Amount & LatePayment,
): Promise<void> => {
  const { cause, provider, earlyRefundCents, amountCents, currency, late } = payment;
  const returnedCents = Math.min(earlyRefundCents, amountCents);
  const rest = { amountCents: amountCents - returnedCents, currency };
  const record = (action: AuditAction) =>
    recordAudits(tx, [buyerEntry(order, cause, { action, changes: rest })]);
  const excessCents = earlyRefundCents - amountCents;
  if (excessCents > 0) await reclaimCredit(tx, order, { amountCents: excessCents, currency });
  if (provider === 'CARD' && late.canReturn) {
    const isReturned = rest.amountCents === 0;
    const lateState = isReturned ? 'RETURNED' : 'RETURNING';
    await updatePayment(tx, late, { lateState, returnedCents });
    const returning = { paymentId: late.id, accountId: order.buyerId };
    if (!isReturned) await queue.enqueue(tx, returnLatePayment, returning);
    return record('order.late_payment');
  }
  await updatePayment(tx, late, { lateState: 'CREDITED', returnedCents });
  await creditBuyer(tx, order, provider, rest);
  return record('order.credit');
};

/** The payment is on its way: the order waits for it and cannot be paid again. */
const awaitPayment = async (
  tx: Transaction,
  cause: Cause,
  { paidFor, until }: PaymentDelay & { until: Date },
): Promise<EventResult | undefined> => {
  const order = await lockNamedOrder(tx, paidFor);
  if (!order) return undefined;
  if (order.status !== 'PENDING' || order.checkoutUrl === null) return resultOf('IGNORED', order);
  const waiting = await updateOrder(tx, order, { checkoutUrl: null, expiresAt: until });
  const changes = { until: until.toISOString() };
  await recordAudits(tx, [buyerEntry(waiting, cause, { action: 'order.await_payment', changes })]);
  return resultOf('APPLIED', order);
};

const applyEnding = async (
  tx: Transaction,
  cause: Cause,
  { paidFor, reason }: PaymentEnding,
): Promise<EventResult | undefined> => {
  const order = await lockNamedOrder(tx, paidFor);
  if (!order) return undefined;
  if (order.status !== 'PENDING') return resultOf('IGNORED', order);
  const { entries } = await settleUnpaid(tx, order, reason, cause);
  await recordAudits(tx, entries);
  return resultOf('APPLIED', order);
};

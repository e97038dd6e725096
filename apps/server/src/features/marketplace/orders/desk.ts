import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import {
  billingActor,
  type OrderDesk,
  type OrderEnding,
  type Payment,
  type Settlement,
} from '../../billing/tools.ts';
import { returnLatePayment } from '../job-names.ts';
import { statusAfter } from '../rules.ts';
import type { MarketTools } from '../tools.ts';
import { buyerEntry, type Cause } from './entries.ts';
import { type Amount, creditBuyer, holdMoney, takeCreditBack } from './money.ts';
import { insertMismatch, insertPayment, takeAhead, updatePayment } from './payments/queries.ts';
import { findBuyerOf, lockOrder, type StoredOrder } from './queries.ts';
import { settleCardRefund, settlePaid, settleUnpaid } from './settle.ts';
import { takeDispute } from './take-dispute.ts';
import { takeRefund } from './take-refund.ts';

type Tools = Pick<MarketTools, 'queue' | 'clock'> & {
  /** Whether there is a card provider that could be asked to give a payment back. */
  canReturn: boolean;
};

/** Where billing brings what the payment providers tell about orders. */
export const createOrderDesk = (tools: Tools): OrderDesk => ({
  pay: (tx, eventId, payment) => takePayment(tx, tools, causeOf(eventId), payment),
  refund: (tx, eventId, refund) => takeRefund(tx, causeOf(eventId), refund),
  dispute: (tx, events, dispute) =>
    takeDispute(tx, tools, { actor: billingActor, events }, dispute),
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
  accountId: buyerId,
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
  const intent = payment.paymentIntent;
  const told = {
    ...{ orderId: order.id, provider, paymentIntent: intent, isCredited: !isPayable },
    providerRef: payment.providerRef ?? cause.events?.[0] ?? order.id,
  };
  if (amountCents === null || currency === null || (isPayable && !isWhole)) {
    await insertMismatch(tx, { ...told, amountCents: 0, currency: order.currency });
    if (intent !== null) await takeAhead(tx, { orderId: order.id, intent });
    return settled('MISMATCH', order);
  }
  const paymentId = await insertPayment(tx, { ...told, amountCents, currency });
  if (paymentId === undefined) return settled('IGNORED', order);
  const aheadCents = provider === 'CARD' ? await takeAhead(tx, { orderId: order.id, intent }) : 0;
  if (isPayable) await payFor(tx, tools, order, { cause, provider, aheadCents });
  else {
    const late = {
      id: paymentId,
      orderId: order.id,
      canReturn: tools.canReturn && intent !== null,
    };
    await takeLate(tx, tools, order, {
      ...{ cause, provider, aheadCents, amountCents, currency, late },
    });
  }
  return settled('APPLIED', order);
};

/** With what the provider had given back of it before it told of it. */
type Told = { cause: Cause; provider: Payment['provider']; aheadCents: number };

const payFor = async (
  tx: Transaction,
  tools: Tools,
  order: StoredOrder,
  { cause, provider, aheadCents }: Told,
): Promise<void> => {
  await holdMoney(tx, order, provider);
  const paid = await settlePaid(tx, tools, order, cause);
  const refunded =
    aheadCents > 0 ? await settleCardRefund(tx, paid.order, aheadCents, cause) : undefined;
  await recordAudits(tx, [...paid.entries, ...(refunded?.entries ?? [])]);
};

type Late = { late: { id: string; orderId: string; canReturn: boolean } };

/**
 * Paid twice, or after the order had ended. The card provider is asked to give it back; what came by other
 * ways, or can be given back by nobody, is the buyer's credit.
 */
const takeLate = async (
  tx: Transaction,
  { queue }: Tools,
  order: StoredOrder,
  { cause, provider, aheadCents, amountCents, currency, late }: Told & Amount & Late,
): Promise<void> => {
  const returnedCents = Math.min(aheadCents, amountCents);
  const left = { amountCents: amountCents - returnedCents, currency };
  const tell = (action: string) =>
    recordAudits(tx, [buyerEntry(order, cause, { action, changes: left })]);
  const beyondCents = aheadCents - amountCents;
  if (beyondCents > 0) await takeCreditBack(tx, order, { amountCents: beyondCents, currency });
  if (provider === 'CARD' && late.canReturn) {
    const isReturned = left.amountCents === 0;
    const lateState = isReturned ? 'RETURNED' : 'RETURNING';
    await updatePayment(tx, late, { lateState, returnedCents });
    if (!isReturned) await queue.enqueue(tx, returnLatePayment, { paymentId: late.id });
    return tell('order.late_payment');
  }
  await updatePayment(tx, late, { lateState: 'CREDITED', returnedCents });
  await creditBuyer(tx, order, provider, left);
  return tell('order.credit');
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

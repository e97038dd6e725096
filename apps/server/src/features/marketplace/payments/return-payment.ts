import { z } from 'zod';
import type { Database, Transaction } from '../../../db/connect.ts';
import { type Job, ofAccountIfKnown } from '../../../queue/job.ts';
import { recordAudits } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import type { CardClient, CardResult } from '../../billing/card/client.ts';
import { listDisputeStates } from '../../billing/queries/disputes.ts';
import { creditBuyer } from '../money/order-money.ts';
import { buyerEntry } from '../orders/audit-entries.ts';
import { findPayment, updatePayment } from '../queries/order-payments.ts';
import { lockOrder } from '../queries/orders.ts';

/** Refunds a late payment at the card provider. */
export const returnLatePayment = {
  name: 'marketplace.return-payment',
  payload: z.object({ paymentId: z.guid(), accountId: z.guid().optional() }),
  groupOf: ofAccountIfKnown,
};

export type ReturnPaymentDependencies = { db: Database; card: CardClient | undefined };

export const returnLatePaymentJob = (
  dependencies: ReturnPaymentDependencies,
): Job<z.output<typeof returnLatePayment.payload>> => ({
  ...returnLatePayment,
  run: ({ paymentId }) => returnPayment(dependencies, paymentId),
});

/**
 * If the provider refuses the refund, the payment becomes the buyer's credit. Nothing happens while the
 * payment is disputed, because the dispute may take the money.
 */
export const returnPayment = async ({ db, card }: ReturnPaymentDependencies, paymentId: string) => {
  const payment = await findPayment(db, paymentId);
  const intent = payment?.paymentIntent ?? null;
  if (payment?.lateState !== 'RETURNING' || intent === null) return;
  const disputes = await listDisputeStates(db, intent);
  if (disputes.includes('OPEN')) return;
  const result = disputes.includes('LOST') ? 'DONE' : ((await card?.refund(intent)) ?? 'REFUSED');
  await db.transaction((tx) => settleReturn(tx, { ...payment, intent }, result));
};

const settleReturn = async (
  tx: Transaction,
  { id, orderId, intent }: { id: string; orderId: string; intent: string },
  result: CardResult,
): Promise<void> => {
  const order = await lockOrder(tx, orderId);
  const payment = await findPayment(tx, id);
  // Another worker was faster, or an event has reported the refund meanwhile.
  if (!order || payment?.lateState !== 'RETURNING') return;
  // The provider also refuses to refund a disputed payment; then the dispute decides.
  const disputes = result === 'REFUSED' ? await listDisputeStates(tx, intent) : [];
  if (disputes.includes('OPEN') || disputes.includes('LOST')) return;
  const { provider, amountCents, returnedCents, currency } = payment;
  const rest = { amountCents: amountCents - returnedCents, currency };
  const isCredit = result === 'REFUSED';
  await updatePayment(tx, payment, { lateState: isCredit ? 'CREDITED' : 'RETURNED' });
  if (isCredit) await creditBuyer(tx, order, provider, rest);
  const action = isCredit ? 'order.credit' : 'order.return_payment';
  await recordAudits(tx, [buyerEntry(order, { actor: systemActor }, { action, changes: rest })]);
};

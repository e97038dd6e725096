import type { Database, Transaction } from '../../../db/connect.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { listOtherStates } from '../../billing/disputes/queries.ts';
import type { ActionResult, CardActions } from '../../billing/pay/card-actions.ts';
import { system } from '../tools.ts';
import { buyerEntry } from './entries.ts';
import { creditBuyer } from './money.ts';
import { findPayment, updatePayment } from './payments/queries.ts';
import { lockOrder } from './queries.ts';

export type ReturnTools = { db: Database; card: CardActions | undefined };

/**
 * Gives a payment that came too late back at the provider. Only where that refuses it becomes the buyer's
 * credit. While the payment is disputed nothing is decided: the dispute may take it.
 */
export const returnPayment = async (
  { db, card }: ReturnTools,
  paymentId: string,
): Promise<void> => {
  const payment = await findPayment(db, paymentId);
  const intent = payment?.paymentIntent ?? null;
  if (payment?.lateState !== 'RETURNING' || intent === null) return;
  const disputes = await listOtherStates(db, { intent, but: '' });
  if (disputes.includes('OPEN')) return;
  const result = disputes.includes('LOST') ? 'DONE' : ((await card?.refund(intent)) ?? 'REFUSED');
  await db.transaction((tx) => settleLate(tx, { ...payment, intent }, result));
};

const settleLate = async (
  tx: Transaction,
  { id, orderId, intent }: { id: string; orderId: string; intent: string },
  result: ActionResult,
): Promise<void> => {
  const order = await lockOrder(tx, orderId);
  const payment = await findPayment(tx, id);
  // Another worker was here first, or the provider has told of the refund meanwhile.
  if (!order || payment?.lateState !== 'RETURNING') return;
  // It refuses to give a disputed payment back, too: that is decided by the dispute.
  const disputes = result === 'REFUSED' ? await listOtherStates(tx, { intent, but: '' }) : [];
  if (disputes.includes('OPEN') || disputes.includes('LOST')) return;
  const { provider, amountCents, returnedCents, currency } = payment;
  const left = { amountCents: amountCents - returnedCents, currency };
  const isCredit = result === 'REFUSED';
  await updatePayment(tx, payment, { lateState: isCredit ? 'CREDITED' : 'RETURNED' });
  if (isCredit) await creditBuyer(tx, order, provider, left);
  const action = isCredit ? 'order.credit' : 'order.return_payment';
  await recordAudits(tx, [buyerEntry(order, { actor: system }, { action, changes: left })]);
};

import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { statusAfter } from '../rules.ts';
import { lockOrder, type StoredOrder } from './queries.ts';
import { settleReturned } from './settle.ts';

/** The operator gives a buyer the money back. Undefined where it is not held, or not any more. */
export const refundOrder = async (
  tx: Transaction,
  orderId: string,
  actor: Actor,
): Promise<StoredOrder | undefined> => {
  const order = await lockOrder(tx, orderId);
  // Whose a disputed charge is, the card provider decides.
  if (!order || order.isDisputed || !statusAfter(order.status, 'refund')) return undefined;
  const { order: refunded, entries } = await settleReturned(tx, order, 'refund', { actor });
  await recordAudits(tx, entries);
  return refunded;
};

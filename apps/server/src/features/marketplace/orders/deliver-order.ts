import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { conflict } from '../../../kernel/errors.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { changedFields } from '../../audit/rules.ts';
import { statusAfter } from '../rules.ts';
import type { MarketTools } from '../tools.ts';
import { bothEntries } from './entries.ts';
import { type StoredOrder, updateOrder } from './queries.ts';

type Report = { delivered: number; actor: Actor; accountId: string };

/** What the seller says was delivered so far; that never becomes less. */
export const reportDelivery = async (
  tx: Transaction,
  { clock }: Pick<MarketTools, 'clock'>,
  order: StoredOrder,
  { delivered, actor, accountId }: Report,
): Promise<StoredOrder> => {
  const status = statusAfter(order.status, 'deliver');
  if (!status) throw conflict(`This order is ${order.status}: nothing can be delivered`);
  if (delivered < order.delivered) {
    throw conflict(`${order.delivered} were reported as delivered already`);
  }
  const changes = changedFields(order, { status, delivered });
  if (Object.keys(changes).length === 0) return order;
  const reported = await updateOrder(tx, order, {
    ...{ status, delivered },
    ...(delivered === order.quantity && { deliveredAt: clock.now() }),
  });
  const what = { action: 'order.deliver', changes };
  await recordAudits(tx, bothEntries(reported, { actor, accountId }, what));
  return reported;
};

import type { PaymentMethod } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { enqueueDelivery } from '../delivery/jobs.ts';
import type { ClearingDependencies } from '../money/clearing.ts';
import { holdMoney } from '../money/order-money.ts';
import { type StoredOrder, updateOrder } from '../queries/orders.ts';
import { type Cause, entriesForBoth } from './audit-entries.ts';
import { requireNext, type SettleDependencies, type Settled, statusChange } from './settle.ts';

export type PayDependencies = SettleDependencies & ClearingDependencies;

/** Holds the price in escrow and begins the delivery. */
export const payOrder = async (
  tx: Transaction,
  dependencies: PayDependencies,
  order: StoredOrder,
  { paidWith, cause }: { paidWith: PaymentMethod; cause: Cause },
): Promise<Settled> => {
  await holdMoney(tx, dependencies, order, paidWith);
  const status = requireNext(order, 'pay');
  const paid = await updateOrder(tx, order, { status, paidAt: dependencies.clock.now() });
  await enqueueDelivery(tx, dependencies, paid);
  const { totalCents, feeCents, currency, payWith } = paid;
  await raiseAlert(tx, dependencies, {
    ...{ accountId: paid.sellerId, serverId: null, kind: 'ORDER_SOLD' },
    facts: {
      ...{ orderId: paid.id, quantity: paid.quantity, totalCents, currency },
      isDeliveredByHand: paid.deliveryType === 'MANUAL',
    },
  });
  const changes = statusChange(order, paid, { totalCents, feeCents, currency, payWith });
  return { order: paid, entries: entriesForBoth(paid, cause, { action: 'order.pay', changes }) };
};

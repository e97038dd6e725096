import type { orderEndpoints } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { Handlers } from '../../../http/handler.ts';
import { conflict, forbidden, invalidField, notFound } from '../../../kernel/errors.ts';
import { recordAudits } from '../../audit/queries.ts';
import { findOrder, listOrders, lockOwnOrder, type StoredOrder } from '../queries/orders.ts';
import { statusAfter } from '../rules.ts';
import { type CreateOrderDependencies, prepareOrder } from './create-order.ts';
import { orderRecord } from './order-record.ts';
import { reportDelivery, settleCancelled, settleCompleted, settleReturned } from './settle.ts';

export const orderHandlers = (
  dependencies: CreateOrderDependencies,
): Handlers<typeof orderEndpoints> => ({
  async listOrders(db, { account: { accountId }, query }) {
    const { rows, total } = await listOrders(db, accountId, query);
    return { rows: rows.map((order) => orderRecord(order, accountId)), total };
  },

  createOrder: {
    async askFirst(db, { account, body }) {
      const place = await prepareOrder(db, dependencies, account, body);
      return async (tx, { actor }) => orderRecord(await place(tx, actor), account.accountId);
    },
  },

  async getOrder(db, { account: { accountId }, params }) {
    const order = await findOrder(db, accountId, params.id);
    if (!order) throw notFound('Order');
    return orderRecord(order, accountId);
  },

  async cancelOrder(tx, { account: { accountId }, actor, params }) {
    const order = await requireOrder(tx, { accountId, id: params.id, as: 'buyer' });
    if (!statusAfter(order.status, 'cancel')) {
      throw conflict(`This order is ${order.status}: it cannot be cancelled any more`);
    }
    const cancelled = await settleCancelled(tx, dependencies, order, { actor, accountId });
    await recordAudits(tx, cancelled.entries);
    return orderRecord(cancelled.order, accountId);
  },

  async deliverOrder(tx, { account: { accountId }, actor, params, body: { delivered } }) {
    const order = await requireOrder(tx, { accountId, id: params.id, as: 'seller' });
    requireManual(order);
    if (delivered > order.quantity) {
      throw invalidField('delivered', `Must not be more than were ordered (${order.quantity})`);
    }
    const reported = await reportDelivery(tx, dependencies, order, { delivered, actor, accountId });
    return orderRecord(reported, accountId);
  },

  async declineOrder(tx, { account: { accountId }, actor, params }) {
    const order = await requireOrder(tx, { accountId, id: params.id, as: 'seller' });
    if (!statusAfter(order.status, 'decline')) {
      throw conflict(`This order is ${order.status}: it cannot be declined`);
    }
    if (order.delivered > 0) throw conflict('A part of this order is delivered already');
    const declined = await settleReturned(tx, order, 'decline', { actor, accountId });
    await recordAudits(tx, declined.entries);
    return orderRecord(declined.order, accountId);
  },

  async confirmOrder(tx, { account: { accountId }, actor, params }) {
    const order = await requireOrder(tx, { accountId, id: params.id, as: 'buyer' });
    requireManual(order);
    if (!statusAfter(order.status, 'complete')) {
      throw conflict(`This order is ${order.status}: there is nothing to confirm`);
    }
    const completed = await settleCompleted(tx, dependencies, order, { actor, accountId });
    await recordAudits(tx, completed.entries);
    return orderRecord(completed.order, accountId);
  },
});

type OrderParty = { accountId: string; id: string; as: 'buyer' | 'seller' };

const requireOrder = async (tx: Transaction, { accountId, id, as }: OrderParty) => {
  const order = await lockOwnOrder(tx, accountId, id);
  if (!order) throw notFound('Order');
  const party = as === 'buyer' ? order.buyerId : order.sellerId;
  if (party !== accountId) throw forbidden(`Only the ${as} of an order can do this`);
  return order;
};

const requireManual = ({ deliveryType }: StoredOrder): void => {
  if (deliveryType === 'AUTOMATIC') throw conflict('A template is delivered by itself');
};

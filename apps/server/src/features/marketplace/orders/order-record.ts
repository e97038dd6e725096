import type { StoredOrder } from '../queries/orders.ts';
import { fulfillmentOf } from '../rules.ts';

/** Only the buyer sees the server and the checkout. */
export const orderRecord = (order: StoredOrder, viewerId: string) => {
  const isBuyer = order.buyerId === viewerId;
  return {
    ...order,
    serverId: isBuyer ? order.serverId : null,
    checkoutUrl: isBuyer && order.status === 'PENDING' ? order.checkoutUrl : null,
    fulfillment: fulfillmentOf(order),
  };
};

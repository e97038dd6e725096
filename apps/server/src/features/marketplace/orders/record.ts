import { fulfillmentOf } from '../rules.ts';
import type { StoredOrder } from './queries.ts';

/** As its buyer or its seller sees it: where the buyer pays and restores is the buyer's own. */
export const recordOf = (order: StoredOrder, viewerId: string) => {
  const isBuyer = order.buyerId === viewerId;
  return {
    ...order,
    serverId: isBuyer ? order.serverId : null,
    checkoutUrl: isBuyer && order.status === 'PENDING' ? order.checkoutUrl : null,
    fulfillment: fulfillmentOf(order),
  };
};

/** And with what the dashboard shows beside it. */
export const ownRecordOf = (order: StoredOrder, viewerId: string) => {
  const isBuyer = order.buyerId === viewerId;
  return {
    ...recordOf(order, viewerId),
    role: isBuyer ? ('BUYER' as const) : ('SELLER' as const),
    backupId: isBuyer ? order.backupId : null,
    expiresAt: order.status === 'PENDING' ? order.expiresAt : null,
  };
};

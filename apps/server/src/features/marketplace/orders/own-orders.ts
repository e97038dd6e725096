import type { DashboardEndpoints } from '@holdfast/contract';
import type { Queryable } from '../../../db/connect.ts';
import type { Handlers } from '../../../http/handler.ts';
import type { Picture } from '../../../http/pages/placeholders.ts';
import { notFound } from '../../../kernel/errors.ts';
import { findOrdered, findParties } from '../queries/order-parties.ts';
import { findOrder, listOwnOrders, type StoredOrder } from '../queries/orders.ts';
import { orderRecord } from './order-record.ts';

type OwnEndpoints = Pick<DashboardEndpoints, 'listOwnOrders' | 'getOwnOrder'>;

export type OwnOrderDependencies = { picture: Picture };

export const orderDashboardHandlers = (
  dependencies: OwnOrderDependencies,
): Handlers<OwnEndpoints> => ({
  async listOwnOrders(db, { account: { accountId }, query }) {
    const { rows, total } = await listOwnOrders(db, accountId, query);
    return { rows: await ownRecords(db, dependencies, rows, accountId), total };
  },

  async getOwnOrder(db, { account: { accountId }, params }) {
    const order = await findOrder(db, accountId, params.id);
    if (!order) throw notFound('Order');
    const [record] = await ownRecords(db, dependencies, [order], accountId);
    if (!record) throw notFound('Order');
    return record;
  },
});

/** With what the dashboard shows in addition. */
const ownRecords = async (
  db: Queryable,
  { picture }: OwnOrderDependencies,
  orders: StoredOrder[],
  viewerId: string,
) => {
  const parties = await findParties(db, orders);
  const listings = await findOrdered(db, orders);
  return orders.map((order) => {
    const listing = listings.get(order.listingId);
    if (!listing) throw new Error('An order has no listing');
    const isBuyer = order.buyerId === viewerId;
    const party = parties.get(isBuyer ? order.sellerId : order.buyerId);
    const isShown = party && (isBuyer || order.paidAt !== null);
    return {
      ...orderRecord(order, viewerId),
      role: isBuyer ? ('BUYER' as const) : ('SELLER' as const),
      backupId: isBuyer ? order.backupId : null,
      expiresAt: order.status === 'PENDING' ? order.expiresAt : null,
      category: listing.category,
      isListed: listing.isPublished,
      otherParty: isShown
        ? { id: party.id, username: party.username, avatar: picture('avatar', party.avatarUrl) }
        : null,
    };
  });
};

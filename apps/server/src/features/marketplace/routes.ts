import type { DashboardEndpoints, marketplaceEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/pages/placeholders.ts';
import {
  type ListingDependencies,
  listingDashboardHandlers,
  listingHandlers,
} from './listings/routes.ts';
import { requestPayout } from './money/payouts.ts';
import type { CreateOrderDependencies } from './orders/create-order.ts';
import { orderDashboardHandlers, orderHandlers } from './orders/routes.ts';

export const marketplaceHandlers = (
  dependencies: ListingDependencies & CreateOrderDependencies,
): Handlers<typeof marketplaceEndpoints> => ({
  ...listingHandlers(dependencies),
  ...orderHandlers(dependencies),

  createPayout: (tx, { account: { accountId }, actor, body: { amountCents } }) =>
    requestPayout(tx, { accountId, amountCents }, actor),
});

export const marketplaceDashboardHandlers = (dependencies: {
  picture: Picture;
}): Handlers<Pick<DashboardEndpoints, 'listOwnListings' | 'listOwnOrders' | 'getOwnOrder'>> => ({
  ...listingDashboardHandlers(dependencies),
  ...orderDashboardHandlers,
});

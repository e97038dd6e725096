import type { DashboardEndpoints, marketplaceEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import {
  type ListingViewDependencies,
  listingDashboardHandlers,
} from './listings/dashboard-routes.ts';
import { type ListingDependencies, listingHandlers } from './listings/routes.ts';
import { requestPayout } from './money/payouts.ts';
import type { CreateOrderDependencies } from './orders/create-order.ts';
import { type OwnOrderDependencies, orderDashboardHandlers } from './orders/own-orders.ts';
import { orderHandlers } from './orders/routes.ts';

export const marketplaceHandlers = (
  dependencies: ListingDependencies & CreateOrderDependencies,
): Handlers<typeof marketplaceEndpoints> => ({
  ...listingHandlers(dependencies),
  ...orderHandlers(dependencies),

  createPayout: (tx, { account: { accountId }, actor, body: { amountCents } }) =>
    requestPayout(tx, dependencies, { accountId, amountCents }, actor),
});

type ViewEndpoints = Pick<
  DashboardEndpoints,
  | 'getListing'
  | 'getTemplateContents'
  | 'getSeller'
  | 'listSellerListings'
  | 'listOwnListings'
  | 'listOwnOrders'
  | 'getOwnOrder'
>;

export const marketplaceDashboardHandlers = (
  dependencies: ListingViewDependencies & OwnOrderDependencies,
): Handlers<ViewEndpoints> => ({
  ...listingDashboardHandlers(dependencies),
  ...orderDashboardHandlers(dependencies),
});

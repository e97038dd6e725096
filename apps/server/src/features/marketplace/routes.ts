import type { marketplaceEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { type ListingTools, listingHandlers } from './listings/routes.ts';
import type { CreateOrderTools } from './orders/create-order.ts';
import { orderHandlers } from './orders/routes.ts';
import { requestPayout } from './payouts/payouts.ts';

export const marketplaceHandlers = (
  tools: ListingTools & CreateOrderTools,
): Handlers<typeof marketplaceEndpoints> => ({
  ...listingHandlers(tools),
  ...orderHandlers(tools),

  async createPayout(tx, { account: { accountId }, actor, body: { amountCents } }) {
    return requestPayout(tx, { accountId, amountCents }, actor);
  },
});

import { z } from 'zod';
import { idParams, paginationQuery, timestamp, uuid } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { deliveryTypes, listing } from '../marketplace.ts';
import { order } from '../orders.ts';

/** Views of the dashboard on the account's own listings and orders. */

const ownListing = listing
  .extend({ published: z.boolean().describe('Whether it is listed and can be ordered.') })
  .meta({ id: 'OwnListing' });

const orderRoles = ['BUYER', 'SELLER'] as const;

/** TO_DELIVER: paid, and not yet delivered or confirmed. */
const orderViews = ['BOUGHT', 'SOLD', 'TO_DELIVER'] as const;

const ownOrder = order
  .extend({
    role: z.enum(orderRoles).describe('Whether you are its buyer or its seller.'),
    deliveryType: z.enum(deliveryTypes),
    backupId: uuid
      .nullable()
      .describe('The backup as which a template was delivered; only the buyer sees it.'),
    refundedCents: z.int().min(0).describe('What the card provider refunded.'),
    expiresAt: timestamp.nullable().describe('Until when it can be paid.'),
  })
  .meta({ id: 'OwnOrder' });

const ownOrderQuery = paginationQuery.extend({ view: z.enum(orderViews) });
export type OwnOrderQuery = z.output<typeof ownOrderQuery>;

export const marketViewEndpoints = endpointsOf('Dashboard', {
  listOwnListings: {
    method: 'GET',
    path: '/marketplace/own-listings',
    summary: 'List what you sell',
    description: 'Including unpublished ones, newest first.',
    scope: 'marketplace:read',
    query: paginationQuery,
    data: ownListing,
    paginated: true,
  },

  listOwnOrders: {
    method: 'GET',
    path: '/marketplace/own-orders',
    summary: 'List what you bought, or what you sold',
    scope: 'marketplace:read',
    query: ownOrderQuery,
    data: ownOrder,
    paginated: true,
  },

  getOwnOrder: {
    method: 'GET',
    path: '/marketplace/own-orders/:id',
    summary: 'Follow an order, from your side of it',
    scope: 'marketplace:read',
    params: idParams,
    data: ownOrder,
    refusals: { 404: 'No such order of yours.' },
  },
});

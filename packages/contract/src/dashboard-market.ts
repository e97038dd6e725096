import { z } from 'zod';
import { idParams, paginationQuery, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { deliveryTypes, listing } from './marketplace.ts';
import { order } from './orders.ts';

/** What the dashboard shows of one's own trade beside what every key may ask for. */

export const ownListing = listing
  .extend({ published: z.boolean().describe('Whether it is listed and can be ordered.') })
  .meta({ id: 'OwnListing' });

export const orderRoles = ['BUYER', 'SELLER'] as const;
export type OrderRole = (typeof orderRoles)[number];

/** TO_DELIVER: paid for, and the seller's turn or the buyer's to confirm. */
export const orderViews = ['BOUGHT', 'SOLD', 'TO_DELIVER'] as const;
export type OrderView = (typeof orderViews)[number];

export const ownOrder = order
  .extend({
    role: z.enum(orderRoles).describe('Which side of it you are on.'),
    deliveryType: z.enum(deliveryTypes),
    backupId: uuid.nullable().describe('What a template is delivered as; for the buyer alone.'),
    refundedCents: z.int().min(0).describe('What the card provider gave back of it.'),
    expiresAt: timestamp.nullable().describe('Until when it can be paid.'),
  })
  .meta({ id: 'OwnOrder' });

export const ownOrderQuery = paginationQuery.extend({ view: z.enum(orderViews) });
export type OwnOrderQuery = z.output<typeof ownOrderQuery>;

export const marketViewEndpoints = {
  listOwnListings: endpoint({
    method: 'GET',
    path: '/marketplace/own-listings',
    tag: 'Dashboard',
    summary: 'List what you sell',
    description: 'Also what is not published, newest first.',
    scope: 'marketplace:read',
    freshSecondFactor: 'never',
    query: paginationQuery,
    status: 200,
    data: ownListing,
    paginated: true,
  }),

  listOwnOrders: endpoint({
    method: 'GET',
    path: '/marketplace/own-orders',
    tag: 'Dashboard',
    summary: 'List what you bought, or what you sold',
    scope: 'marketplace:read',
    freshSecondFactor: 'never',
    query: ownOrderQuery,
    status: 200,
    data: ownOrder,
    paginated: true,
  }),

  getOwnOrder: endpoint({
    method: 'GET',
    path: '/marketplace/own-orders/:id',
    tag: 'Dashboard',
    summary: 'Follow an order, from your side of it',
    scope: 'marketplace:read',
    freshSecondFactor: 'never',
    params: idParams,
    status: 200,
    data: ownOrder,
    refusals: { 404: 'No such order of yours.' },
  }),
};

import { z } from 'zod';
import { count, idParams, paginationQuery, timestamp, uuid } from '../common.ts';
import { contentsChannelTypes } from '../contents.ts';
import { endpointsOf } from '../endpoint.ts';
import { deliveryTypes, listing } from '../marketplace.ts';
import { order } from '../orders.ts';
import { pictureId } from '../uploads.ts';

/** Views of the dashboard on the market, and on the account's own listings and orders. */

const ownListing = listing
  .extend({
    published: z.boolean().describe('Whether it is listed and can be ordered.'),
    imageUploadId: pictureId,
  })
  .meta({ id: 'OwnListing' });

const namedChannel = z.object({ type: z.enum(contentsChannelTypes), name: z.string() });

const templateContents = z
  .object({
    roles: z.array(z.object({ name: z.string() })).describe('Highest first.'),
    channels: z
      .array(namedChannel.extend({ children: z.array(namedChannel) }))
      .describe('Channels without a category, then categories with their channels as `children`.'),
  })
  .meta({ id: 'TemplateContents' });

const seller = listing.shape.seller
  .extend({
    listings: count.describe('How many are for sale now.'),
    completedOrders: count.describe('The sales of all listings, also of former ones.'),
    sellingSince: timestamp.describe('When their first listing was created.'),
  })
  .meta({ id: 'Seller' });

const orderRoles = ['BUYER', 'SELLER'] as const;

/** TO_DELIVER: paid, and not yet delivered or confirmed. */
const orderViews = ['BOUGHT', 'SOLD', 'TO_DELIVER'] as const;

const ownOrder = order
  .extend({
    role: z.enum(orderRoles).describe('Whether you are its buyer or its seller.'),
    category: listing.shape.category,
    deliveryType: z.enum(deliveryTypes),
    backupId: uuid
      .nullable()
      .describe('The backup as which a template was delivered; only the buyer sees it.'),
    refundedCents: z.int().min(0).describe('What the card provider refunded.'),
    expiresAt: timestamp.nullable().describe('Until when it can be paid.'),
    isListed: z.boolean().describe('Whether its listing is still for sale.'),
    otherParty: listing.shape.seller
      .nullable()
      .describe('The seller for its buyer; the buyer for its seller, once it is paid.'),
  })
  .meta({ id: 'OwnOrder' });

const ownOrderQuery = paginationQuery.extend({ view: z.enum(orderViews) });
export type OwnOrderQuery = z.output<typeof ownOrderQuery>;

export const marketViewEndpoints = endpointsOf('Dashboard', {
  getListing: {
    method: 'GET',
    path: '/marketplace/listings/:id',
    summary: 'Look at a listing',
    description: 'An unpublished one is shown to its seller only.',
    scope: 'marketplace:read',
    params: idParams,
    data: listing.extend({ published: ownListing.shape.published }),
    refusals: { 404: 'No such listing.' },
  },

  getTemplateContents: {
    method: 'GET',
    heavy: true,
    path: '/marketplace/listings/:id/contents',
    summary: 'Look into a template before buying it',
    description: 'The names of its channels and roles.',
    scope: 'marketplace:read',
    params: idParams,
    data: templateContents,
    refusals: { 404: 'No such template.', 409: 'The template cannot be read.' },
  },

  getSeller: {
    method: 'GET',
    path: '/marketplace/sellers/:id',
    summary: 'Look at a seller',
    scope: 'marketplace:read',
    params: idParams,
    data: seller,
    refusals: { 404: 'Nobody who has anything for sale.' },
  },

  listSellerListings: {
    method: 'GET',
    path: '/marketplace/sellers/:id/listings',
    summary: 'List what a seller has for sale',
    description: 'Newest first.',
    scope: 'marketplace:read',
    params: idParams,
    query: paginationQuery,
    data: listing,
    paginated: true,
    mayReadStandby: true,
    refusals: { 404: 'Nobody who has anything for sale.' },
  },

  listOwnListings: {
    method: 'GET',
    path: '/marketplace/own-listings',
    summary: 'List what you sell',
    description: 'Including unpublished ones, newest first.',
    scope: 'marketplace:read',
    query: paginationQuery,
    data: ownListing,
    paginated: true,
    mayReadStandby: true,
  },

  listOwnOrders: {
    method: 'GET',
    path: '/marketplace/own-orders',
    summary: 'List what you bought, or what you sold',
    scope: 'marketplace:read',
    query: ownOrderQuery,
    data: ownOrder,
    paginated: true,
    mayReadStandby: true,
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

import { z } from 'zod';
import { currency } from './billing.ts';
import { accountBounds } from './bounds.ts';
import {
  atLeastOneOf,
  idParams,
  name,
  paginationQuery,
  text,
  timestamp,
  url,
  uuid,
} from './common.ts';
import { endpoint } from './endpoint.ts';
import { lowered } from './fresh-second-factor.ts';
import { cents, marketCurrency } from './money.ts';
import { orderEndpoints } from './orders.ts';

export const listingCategories = ['TEMPLATE', 'DESIGN', 'BOT', 'SERVICE'] as const;
export type ListingCategory = (typeof listingCategories)[number];

export const listingSorts = ['newest', 'oldest', 'price_asc', 'price_desc', 'popular'] as const;
export type ListingSort = (typeof listingSorts)[number];

/** A template is delivered by us, everything else by its seller. */
export const deliveryTypes = ['AUTOMATIC', 'MANUAL'] as const;

const count = z.int().min(0);
const category = z.enum(listingCategories);

export const listing = z
  .object({
    id: uuid,
    title: z.string().meta({ example: 'A harbour for small crews' }),
    description: z.string(),
    category,
    priceCents: cents,
    currency,
    deliveryType: z.enum(deliveryTypes),
    seller: z.object({ id: uuid, username: z.string(), avatar: url }),
    salesCount: count,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Listing' });

const listingFields = z.object({
  title: name,
  description: text(0, 5000),
  category,
  priceCents: cents,
  currency: z.literal(marketCurrency).default(marketCurrency),
  backupId: uuid
    .optional()
    .describe('A TEMPLATE is made from it: one of your own completed backups.'),
  published: z.boolean().default(true).describe('Whether it is listed and can be ordered.'),
});

export const newListing = listingFields
  .refine(({ category: chosen, backupId }) => chosen !== 'TEMPLATE' || backupId !== undefined, {
    path: ['backupId'],
    message: 'A template is made from a backup: name it',
  })
  .refine(({ category: chosen, backupId }) => chosen === 'TEMPLATE' || backupId === undefined, {
    path: ['backupId'],
    message: 'Only a template is made from a backup',
  })
  .meta({
    example: {
      title: 'A harbour for small crews',
      description: 'Twelve channels and five roles, ready to be sailed.',
      category: 'DESIGN',
      priceCents: 1500,
      currency: marketCurrency,
      published: true,
    },
  });

/** Without the defaults: what is not named stays as it is. */
export const listingChanges = atLeastOneOf(
  listingFields.extend({ currency: z.literal(marketCurrency), published: z.boolean() }),
);

export const payoutStatuses = ['PENDING', 'PAID'] as const;

export const payout = z
  .object({
    id: uuid,
    amountCents: z.int().min(1).meta({ example: 5000 }),
    currency,
    status: z.enum(payoutStatuses),
    createdAt: timestamp,
  })
  .meta({ id: 'Payout' });

export const newPayout = z.object({
  amountCents: z.int().min(1).max(Number.MAX_SAFE_INTEGER).meta({ example: 5000 }),
});

export const listingQuery = paginationQuery.extend({
  category: category.optional(),
  sort: z.enum(listingSorts).default('newest'),
});
export type ListingQuery = z.output<typeof listingQuery>;

export const marketplaceEndpoints = {
  listListings: endpoint({
    method: 'GET',
    path: '/marketplace/listings',
    tag: 'Marketplace',
    summary: 'List listings',
    description: 'Everything that is for sale, of all sellers.',
    scope: 'marketplace:read',
    freshSecondFactor: 'never',
    query: listingQuery,
    status: 200,
    data: listing,
    paginated: true,
  }),

  createListing: endpoint({
    method: 'POST',
    path: '/marketplace/listings',
    tag: 'Marketplace',
    summary: 'Put something up for sale',
    description:
      'A TEMPLATE is made from one of your completed backups. Only its settings, roles, channels and emojis are taken; whatever names people, every id of the platform and every dangerous permission is left out. It is restored into a server in memory before it is listed.',
    scope: 'marketplace:write',
    freshSecondFactor: 'never',
    body: newListing,
    status: 201,
    data: listing,
    refusals: {
      403: `The plan's storage is used up, or the account has ${accountBounds.listings} listings already, unpublished ones included.`,
      404: 'No such backup.',
      409: 'The backup is not completed, or no template can be made from it.',
    },
  }),

  updateListing: endpoint({
    method: 'PUT',
    path: '/marketplace/listings/:id',
    tag: 'Marketplace',
    summary: 'Change a listing',
    description:
      'Orders keep the price they were placed at. `published: false` takes it off the market. Category and backup stay what they are.',
    scope: 'marketplace:write',
    freshSecondFactor: { whenChanges: { priceCents: lowered } },
    params: idParams,
    body: listingChanges,
    status: 200,
    data: listing,
    refusals: { 404: 'No such listing of yours.' },
  }),

  ...orderEndpoints,

  createPayout: endpoint({
    method: 'POST',
    path: '/marketplace/payouts',
    tag: 'Marketplace',
    summary: 'Ask for a payout',
    description: 'Takes the amount from your balance; it is PAID once the operator has sent it.',
    scope: 'marketplace:payout',
    freshSecondFactor: 'always',
    body: newPayout,
    status: 201,
    data: payout,
    refusals: { 403: 'Your balance is smaller.' },
  }),
};

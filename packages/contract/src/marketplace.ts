import { z } from 'zod';
import { cents, currency, marketCurrency } from './billing.ts';
import {
  atLeastOneOf,
  count,
  idParams,
  name,
  paginationQuery,
  text,
  timestamp,
  url,
  uuid,
} from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { lowered } from './fresh-second-factor.ts';
import { orderEndpoints } from './orders.ts';
import { accountLimits } from './plans.ts';
import { pictureId } from './uploads.ts';

export const listingCategories = ['TEMPLATE', 'DESIGN', 'BOT', 'SERVICE'] as const;
export type ListingCategory = (typeof listingCategories)[number];

export const listingSorts = ['newest', 'oldest', 'price_asc', 'price_desc', 'popular'] as const;
export type ListingSort = (typeof listingSorts)[number];

/** Holdfast delivers a template, the seller everything else. */
export const deliveryTypes = ['AUTOMATIC', 'MANUAL'] as const;

const category = z.enum(listingCategories);

export const listing = z
  .object({
    id: uuid,
    title: z.string().meta({ example: 'A harbour for small crews' }),
    description: z.string(),
    category,
    imageUrl: url.nullable().describe('Its picture; null where it has none.'),
    priceCents: cents,
    currency,
    deliveryType: z.enum(deliveryTypes),
    seller: z.object({ id: uuid, username: z.string(), avatar: url }),
    salesCount: count.describe('One for each buyer, of orders that were paid and delivered.'),
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
    .describe('The completed backup of yours from which a TEMPLATE is made.'),
  imageUploadId: pictureId.optional(),
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

/** Without the defaults: a missing field stays unchanged. */
const listingChanges = atLeastOneOf(
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

const newPayout = z.object({
  amountCents: z.int().min(1).max(Number.MAX_SAFE_INTEGER).meta({ example: 5000 }),
});

const listingQuery = paginationQuery.extend({
  search: text(1, 100)
    .optional()
    .describe(
      'Words that the title or the description contains, all of them, in any order and case. `%` and `_` are plain characters.',
    ),
  category: category.optional(),
  sort: z.enum(listingSorts).default('newest'),
});
export type ListingQuery = z.output<typeof listingQuery>;

const listingEndpoints = endpointsOf('Marketplace', {
  listListings: {
    method: 'GET',
    path: '/marketplace/listings',
    summary: 'List listings',
    description: 'All published listings of all sellers.',
    scope: 'marketplace:read',
    query: listingQuery,
    data: listing,
    paginated: true,
    mayReadStandby: true,
  },

  createListing: {
    method: 'POST',
    path: '/marketplace/listings',
    summary: 'Create a listing',
    description:
      'A TEMPLATE is made from one of your completed backups. It contains only settings, roles, channels and emojis; member data is never included, nor are ids of the platform and dangerous permissions. It is test-restored before it is listed.',
    scope: 'marketplace:write',
    freshSecondFactor: 'never',
    body: newListing,
    status: 201,
    data: listing,
    refusals: {
      403: `The plan's storage is used up, or the account has ${accountLimits.listings} listings already, unpublished ones included.`,
      404: 'No such backup.',
      409: 'The backup is not completed, or no template can be made from it.',
    },
  },

  updateListing: {
    method: 'PUT',
    path: '/marketplace/listings/:id',
    summary: 'Change a listing',
    description:
      'Existing orders keep their price. `published: false` takes it off the market. Category and backup cannot be changed.',
    scope: 'marketplace:write',
    freshSecondFactor: { whenChanges: { priceCents: lowered } },
    params: idParams,
    body: listingChanges,
    data: listing,
    refusals: { 404: 'No such listing of yours.' },
  },
});

const payoutEndpoints = endpointsOf('Marketplace', {
  createPayout: {
    method: 'POST',
    path: '/marketplace/payouts',
    summary: 'Request a payout',
    description:
      'Deducts the amount from your earnings, as far as they have cleared; it is PAID once the operator has sent it.',
    scope: 'marketplace:payout',
    freshSecondFactor: 'always',
    body: newPayout,
    status: 201,
    data: payout,
    refusals: { 403: 'Your balance is smaller, or too little of it has cleared.' },
  },
});

export const marketplaceEndpoints = {
  ...listingEndpoints,
  ...orderEndpoints,
  ...payoutEndpoints,
};

import { z } from 'zod';
import { progress } from './backups.ts';
import { currency, payWays } from './billing.ts';
import { httpUrl, idParams, paginationQuery, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { setTo } from './fresh-second-factor.ts';
import { cents } from './money.ts';

const count = z.int().min(0);

export const orderStatuses = [
  'PENDING',
  'PAID',
  'FULFILLING',
  'COMPLETED',
  'CANCELLED',
  'EXPIRED',
  'REFUNDED',
  'FAILED',
] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export const fulfillmentStatuses = [
  'waiting',
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
] as const;

const mostAtOnce = 100;

export const order = z
  .object({
    id: uuid,
    listingId: uuid,
    listingTitle: z.string().meta({ example: 'A harbour for small crews' }),
    serverId: uuid.nullable().describe('Where a template is delivered to; for the buyer alone.'),
    quantity: z.int().min(1).max(mostAtOnce),
    unitPriceCents: cents,
    totalCents: count.meta({ example: 1500 }),
    feeCents: count.meta({ description: "What of it is the platform's.", example: 150 }),
    currency,
    payWith: z.enum(payWays),
    status: z.enum(orderStatuses),
    fulfillment: z.object({
      status: z.enum(fulfillmentStatuses),
      progress,
      delivered: count.describe('How many of them were delivered so far.'),
      total: z.int().min(1),
    }),
    checkoutUrl: httpUrl
      .nullable()
      .meta({ example: 'https://pay.example.com/i/9f2d6c1b' })
      .describe('Where a person pays it, in a browser, while it is PENDING; for the buyer alone.'),
    paidAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Order' });

export const newOrder = z.object({
  listingId: uuid,
  serverId: uuid
    .optional()
    .describe('One of your servers; a TEMPLATE is delivered to it as a backup, and needs one.'),
  quantity: z
    .int()
    .min(1)
    .max(mostAtOnce)
    .default(1)
    .meta({ description: 'Of a TEMPLATE there is one.', example: 1 }),
  payWith: z.enum(payWays).default('CARD'),
  maxTotalCents: count.optional().describe('Refused with 409 where it would cost more by now.'),
});

export const delivery = z.object({
  delivered: count
    .max(mostAtOnce)
    .meta({ description: 'How many were delivered so far, in all.', example: 1 }),
});

export const orderEndpoints = {
  listOrders: endpoint({
    method: 'GET',
    path: '/marketplace/orders',
    tag: 'Marketplace',
    summary: 'List orders',
    description: 'Those you placed and those placed on your listings, newest first.',
    scope: 'marketplace:read',
    freshSecondFactor: 'never',
    query: paginationQuery,
    status: 200,
    data: order,
    paginated: true,
  }),

  createOrder: endpoint({
    method: 'POST',
    path: '/marketplace/orders',
    tag: 'Marketplace',
    summary: 'Place an order',
    description:
      'By card or with cryptocurrency it waits at `checkoutUrl` to be paid. From what you earned (`BALANCE`), and where it costs nothing, it is PAID at once. Credit buys nothing here. A TEMPLATE is then delivered by itself, as a backup of the server you named.',
    scope: 'marketplace:write',
    freshSecondFactor: { whenFields: { payWith: setTo('BALANCE') } },
    body: newOrder,
    status: 201,
    data: order,
    refusals: {
      403: 'The listing is your own, you have earned too little, or your plan has no room for the backup.',
      404: 'No such listing, or no such server of yours.',
      409: 'The listing is not for sale, costs more than you said, or the payment provider cannot be reached.',
    },
  }),

  getOrder: endpoint({
    method: 'GET',
    path: '/marketplace/orders/:id',
    tag: 'Marketplace',
    summary: 'Follow an order',
    description: 'For its buyer and its seller.',
    scope: 'marketplace:read',
    freshSecondFactor: 'never',
    params: idParams,
    status: 200,
    data: order,
    refusals: { 404: 'No such order of yours.' },
  }),

  cancelOrder: endpoint({
    method: 'POST',
    path: '/marketplace/orders/:id/cancel',
    tag: 'Marketplace',
    summary: 'Cancel an order',
    description:
      'For its buyer, while it is PENDING. Its checkout is closed at the payment provider; a payment that arrives all the same is given back there, and becomes your credit only where the provider refuses that.',
    scope: 'marketplace:write',
    freshSecondFactor: 'never',
    params: idParams,
    status: 200,
    data: order,
    refusals: {
      403: 'You are not its buyer.',
      404: 'No such order of yours.',
      409: 'It is paid or has ended already.',
    },
  }),

  deliverOrder: endpoint({
    method: 'POST',
    path: '/marketplace/orders/:id/deliver',
    tag: 'Marketplace',
    summary: 'Report a delivery',
    description:
      'For the seller of something that is delivered by hand. The buyer confirms it; 14 days after all of it was delivered it is taken as confirmed.',
    scope: 'marketplace:write',
    freshSecondFactor: 'never',
    params: idParams,
    body: delivery,
    status: 200,
    data: order,
    refusals: {
      403: 'You are not its seller.',
      404: 'No such order of yours.',
      409: 'It is not paid, has ended, or is delivered by itself.',
    },
  }),

  confirmOrder: endpoint({
    method: 'POST',
    path: '/marketplace/orders/:id/confirm',
    tag: 'Marketplace',
    summary: 'Confirm a delivery',
    description: 'For its buyer. The seller gets the money.',
    scope: 'marketplace:write',
    freshSecondFactor: 'always',
    params: idParams,
    status: 200,
    data: order,
    refusals: {
      403: 'You are not its buyer.',
      404: 'No such order of yours.',
      409: 'There is nothing to confirm.',
    },
  }),
};

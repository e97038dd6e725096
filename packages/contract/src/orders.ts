import { z } from 'zod';
import { progress } from './backups.ts';
import { cents, currency, paymentMethods } from './billing.ts';
import { count, httpUrl, idParams, paginationQuery, timestamp, uuid } from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { setTo } from './fresh-second-factor.ts';

const orderStatuses = [
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

const maxQuantity = 100;

export const order = z
  .object({
    id: uuid,
    listingId: uuid,
    listingTitle: z.string().meta({ example: 'A harbour for small crews' }),
    serverId: uuid
      .nullable()
      .describe('The server that gets the template; only the buyer sees it.'),
    quantity: z.int().min(1).max(maxQuantity),
    unitPriceCents: cents,
    totalCents: count.meta({ example: 1500 }),
    feeCents: count.meta({ description: "The marketplace's share of the total.", example: 150 }),
    currency,
    payWith: z.enum(paymentMethods),
    status: z.enum(orderStatuses),
    fulfillment: z.object({
      status: z.enum(fulfillmentStatuses),
      progress,
      delivered: count.describe('How many were delivered so far.'),
      total: z.int().min(1),
    }),
    checkoutUrl: httpUrl
      .nullable()
      .meta({ example: 'https://pay.example.com/i/9f2d6c1b' })
      .describe('The page on which a person pays it while it is PENDING; only the buyer sees it.'),
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
    .describe('One of your servers. Required for a TEMPLATE, which it gets as a backup.'),
  quantity: z
    .int()
    .min(1)
    .max(maxQuantity)
    .default(1)
    .meta({ description: 'Always 1 for a TEMPLATE.', example: 1 }),
  payWith: z.enum(paymentMethods).default('CARD'),
  maxTotalCents: count.optional().describe('Refused with 409 if it costs more.'),
});

export const delivery = z.object({
  delivered: count
    .max(maxQuantity)
    .meta({ description: 'How many were delivered so far, in total.', example: 1 }),
});

export const orderEndpoints = endpointsOf('Marketplace', {
  listOrders: {
    method: 'GET',
    path: '/marketplace/orders',
    summary: 'List orders',
    description: 'Orders that you placed and orders of your listings, newest first.',
    scope: 'marketplace:read',
    query: paginationQuery,
    data: order,
    paginated: true,
    mayReadStandby: true,
  },

  createOrder: {
    method: 'POST',
    path: '/marketplace/orders',
    summary: 'Create an order',
    description:
      'By card or cryptocurrency it is paid at `checkoutUrl`. Paid from your earnings (`BALANCE`), or if it is free, it is PAID at once. Credit cannot be used. A TEMPLATE is then delivered automatically, as a backup of the server you chose.',
    scope: 'marketplace:write',
    freshSecondFactor: { whenFields: { payWith: setTo('BALANCE') } },
    body: newOrder,
    status: 201,
    data: order,
    refusals: {
      403: 'The listing is your own, too little of your earnings has cleared, or your plan has no room for the backup.',
      404: 'No such listing, or no such server of yours.',
      409: 'The listing is not for sale, costs more than you said, is free and ordered by you already, or the payment provider cannot be reached.',
    },
  },

  getOrder: {
    method: 'GET',
    path: '/marketplace/orders/:id',
    summary: 'Read an order',
    description: 'For its buyer and its seller.',
    scope: 'marketplace:read',
    params: idParams,
    data: order,
    refusals: { 404: 'No such order of yours.' },
  },

  cancelOrder: {
    method: 'POST',
    path: '/marketplace/orders/:id/cancel',
    summary: 'Cancel an order',
    description:
      'For its buyer, while it is PENDING. Its checkout is closed at the payment provider. A payment that still arrives is refunded there, and becomes your credit only if the provider refuses the refund.',
    scope: 'marketplace:write',
    effect: 'destroys',
    freshSecondFactor: 'never',
    params: idParams,
    data: order,
    refusals: {
      403: 'You are not its buyer.',
      404: 'No such order of yours.',
      409: 'It is paid or has ended already.',
    },
  },

  deliverOrder: {
    method: 'POST',
    path: '/marketplace/orders/:id/deliver',
    summary: 'Report a delivery',
    description:
      'For the seller, if the delivery is manual. The buyer confirms it; 14 days after everything was delivered it is confirmed automatically.',
    scope: 'marketplace:write',
    freshSecondFactor: 'never',
    params: idParams,
    body: delivery,
    data: order,
    refusals: {
      403: 'You are not its seller.',
      404: 'No such order of yours.',
      409: 'It is not paid, has ended, or is delivered by itself.',
    },
  },

  declineOrder: {
    method: 'POST',
    path: '/marketplace/orders/:id/decline',
    summary: 'Decline an order',
    description:
      'For its seller, while it is paid or free and nothing of it is delivered. What was paid becomes credit of the buyer.',
    scope: 'marketplace:write',
    effect: 'destroys',
    freshSecondFactor: 'never',
    params: idParams,
    data: order,
    refusals: {
      403: 'You are not its seller.',
      404: 'No such order of yours.',
      409: 'It is not paid, has ended, or a part of it is delivered.',
    },
  },

  confirmOrder: {
    method: 'POST',
    path: '/marketplace/orders/:id/confirm',
    summary: 'Confirm a delivery',
    description: 'For its buyer. It releases the money to the seller.',
    scope: 'marketplace:write',
    freshSecondFactor: 'always',
    params: idParams,
    data: order,
    refusals: {
      403: 'You are not its buyer.',
      404: 'No such order of yours.',
      409: 'There is nothing to confirm.',
    },
  },
});

import type {
  BackupComponent,
  BackupCounts,
  deliveryTypes,
  ListingCategory,
  OrderStatus,
  PaymentProvider,
  PayWay,
  payoutStatuses,
} from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { json, moment } from '../../db/columns.ts';
import { accounts } from '../accounts/table.ts';

const money = () => bigint({ mode: 'number' });
const party = () =>
  uuid()
    .notNull()
    .references(() => accounts.id);

export const listings = pgTable(
  'listings',
  {
    id: uuid().primaryKey(),
    /** In the order in which they were created; what is alike in all else stands in this order. */
    seq: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    sellerId: party(),
    title: text().notNull(),
    description: text().notNull(),
    category: text().$type<ListingCategory>().notNull(),
    priceCents: money().notNull(),
    currency: text().notNull(),
    isPublished: boolean().notNull(),
    salesCount: bigint({ mode: 'number' }).notNull().default(0),
    /** The backup that a template was made from; it need not be there any more. */
    backupId: uuid(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (listing) => [
    unique('listings_seq').on(listing.seq),
    index('listings_of_seller').on(listing.sellerId),
    // One for each order in which they are listed, of all and of one category.
    index('listings_by_age_of_category').on(listing.category, listing.seq).where(sql`is_published`),
    index('listings_by_age').on(listing.seq).where(sql`is_published`),
    index('listings_by_price').on(listing.priceCents, listing.seq).where(sql`is_published`),
    index('listings_by_price_of_category')
      .on(listing.category, listing.priceCents, listing.seq)
      .where(sql`is_published`),
    index('listings_by_sales').on(listing.salesCount, listing.seq).where(sql`is_published`),
    index('listings_by_sales_of_category')
      .on(listing.category, listing.salesCount, listing.seq)
      .where(sql`is_published`),
  ],
);

/**
 * What a listing delivers: a snapshot without people, as objects of the seller's account that the
 * template holds. Its row is there before the first of them; without a listing it is nobody's.
 */
export const templates = pgTable(
  'templates',
  {
    id: uuid().primaryKey(),
    accountId: party(),
    listingId: uuid()
      .unique()
      .references(() => listings.id),
    /** The hash of its manifest, as a backup's checksum; null until all of it is stored. */
    manifest: text(),
    components: json<BackupComponent[]>().notNull().default([]),
    counts: json<Partial<BackupCounts>>().notNull().default({}),
    createdAt: moment().notNull().defaultNow(),
  },
  (template) => [
    index('templates_of_user').on(template.accountId),
    index('templates_of_nobody').on(template.createdAt).where(sql`listing_id is null`),
  ],
);

export const countedOrders = ['age', 'price', 'sales'] as const;

/**
 * How many published listings stand where, in each order: by neighbouring values, by value, and of one
 * value by age. Kept by a trigger on `listings`, so that a count need not scan, and a page far down a
 * list begins near its first entry instead of at the top.
 */
export const listingCounts = pgTable(
  'listing_counts',
  {
    listedBy: text().$type<(typeof countedOrders)[number]>().notNull(),
    /** `ALL`, or one of them. */
    category: text().notNull(),
    /** 1: a cell of values; 2: one value; 3: of one value those of one age. */
    level: integer().notNull(),
    cell: bigint({ mode: 'number' }).notNull(),
    value: bigint({ mode: 'number' }).notNull(),
    /** So many times 1024 listings were created before. */
    chunk: bigint({ mode: 'number' }).notNull(),
    total: integer().notNull(),
  },
  (counted) => [
    primaryKey({
      columns: [
        counted.listedBy,
        counted.category,
        counted.level,
        counted.cell,
        counted.value,
        counted.chunk,
      ],
    }),
    index('listing_counts_empty').on(counted.total).where(sql`total = 0`),
  ],
);

export const orders = pgTable(
  'orders',
  {
    id: uuid().primaryKey(),
    listingId: uuid()
      .notNull()
      .references(() => listings.id),
    listingTitle: text().notNull(),
    deliveryType: text().$type<(typeof deliveryTypes)[number]>().notNull(),
    buyerId: party(),
    sellerId: party(),
    /** No key to the server's row: an order stays when its server goes. */
    serverId: uuid(),
    quantity: integer().notNull(),
    unitPriceCents: money().notNull(),
    totalCents: money().notNull(),
    feeCents: money().notNull(),
    currency: text().notNull(),
    payWith: text().$type<PayWay>().notNull(),
    status: text().$type<OrderStatus>().notNull().default('PENDING'),
    /** What the card provider gave back of what was held, or had become the seller's. */
    refundedCents: money().notNull().default(0),
    delivered: integer().notNull().default(0),
    /** When all of it was delivered by hand. */
    deliveredAt: moment(),
    /** The backup as which a template is delivered; named before the first of its objects is copied. */
    backupId: uuid(),
    objectsTotal: integer().notNull().default(0),
    objectsDone: integer().notNull().default(0),
    checkoutUrl: text(),
    /** The provider's id of its checkout, by which that is closed again. */
    checkoutRef: text(),
    /** While its payer disputes the charge its money is held, whatever its status. */
    isDisputed: boolean().notNull().default(false),
    expiresAt: moment(),
    paidAt: moment(),
    completedAt: moment(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (order) => [
    index('orders_of_buyer').on(order.buyerId, order.createdAt, order.id),
    index('orders_of_seller').on(order.sellerId, order.createdAt, order.id),
    index('orders_of_listing').on(order.listingId),
    index('orders_to_expire').on(order.expiresAt).where(sql`status = 'PENDING'`),
    index('orders_to_complete').on(order.deliveredAt).where(sql`status = 'FULFILLING'`),
  ],
);

export type LateState = 'RETURNING' | 'RETURNED' | 'CREDITED';

/**
 * Money that a provider told us of. An order's first is held for its seller, others are the buyer's. What
 * was not as asked for stands there as nothing, and what went back before it was told to have come as less
 * than nothing, until it comes.
 */
export const orderPayments = pgTable(
  'order_payments',
  {
    id: uuid().primaryKey(),
    orderId: uuid()
      .notNull()
      .references(() => orders.id),
    provider: text().$type<PaymentProvider>().notNull(),
    /** The provider's id of the checkout that was paid: however often that is told, it counts once. */
    providerRef: text().notNull(),
    /** By which a refund of it is known. */
    paymentIntent: text(),
    amountCents: money().notNull(),
    currency: text().notNull(),
    /** Whether it is the buyer's and not held for the seller, since the order could no longer be paid. */
    isCredited: boolean().notNull(),
    /** Of one that came too late: whether the provider has given it back, or refused and it became credit. */
    lateState: text().$type<LateState>(),
    /** What of it the provider gave back before it became credit. */
    returnedCents: money().notNull().default(0),
    createdAt: moment().notNull().defaultNow(),
  },
  (payment) => [
    unique('order_payments_once').on(payment.provider, payment.providerRef),
    index('order_payments_of_order').on(payment.orderId),
    index('order_payments_of_intent').on(payment.paymentIntent),
    index('order_payments_to_return').on(payment.createdAt).where(sql`late_state = 'RETURNING'`),
  ],
);

export const payouts = pgTable(
  'payouts',
  {
    id: uuid().primaryKey(),
    accountId: party(),
    amountCents: money().notNull(),
    currency: text().notNull(),
    status: text().$type<(typeof payoutStatuses)[number]>().notNull().default('PENDING'),
    createdAt: moment().notNull().defaultNow(),
    paidAt: moment(),
  },
  (payout) => [index('payouts_of_user').on(payout.accountId)],
);

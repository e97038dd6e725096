import type {
  BackupComponent,
  BackupCounts,
  deliveryTypes,
  ListingCategory,
  OrderStatus,
  PaymentMethod,
  PaymentProvider,
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
import { json, moment } from '../../db/table-columns.ts';
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
    /** The order of creation, and the last sort key of every list. */
    seq: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    sellerId: party(),
    title: text().notNull(),
    description: text().notNull(),
    /** Both, folded by `listingSearchText`: the database's locale must not decide matches. */
    searchText: text().notNull().default(''),
    category: text().$type<ListingCategory>().notNull(),
    priceCents: money().notNull(),
    currency: text().notNull(),
    isPublished: boolean().notNull(),
    salesCount: bigint({ mode: 'number' }).notNull().default(0),
    /** The backup that a template was made from. It may be deleted. */
    backupId: uuid(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (listing) => [
    unique('listings_seq').on(listing.seq),
    index('listings_of_seller').on(listing.sellerId),
    index('listings_search')
      .using('gin', listing.searchText.op('gin_trgm_ops'))
      .where(sql`is_published`),
    // One for each sort order, over all categories and within one.
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
    index('listings_changed').on(listing.updatedAt).where(sql`is_published`),
  ],
);

/**
 * What a listing delivers: a snapshot without people, stored as objects of the seller's account. The row is
 * inserted before the first object; a row that gets no listing is deleted later.
 */
export const templates = pgTable(
  'templates',
  {
    id: uuid().primaryKey(),
    accountId: party(),
    listingId: uuid()
      .unique()
      .references(() => listings.id),
    /** The hash of its manifest, like a backup's checksum; null until everything is stored. */
    manifest: text(),
    components: json<BackupComponent[]>().notNull().default([]),
    counts: json<Partial<BackupCounts>>().notNull().default({}),
    createdAt: moment().notNull().defaultNow(),
  },
  (template) => [
    index('templates_of_account').on(template.accountId),
    index('templates_of_nobody').on(template.createdAt).where(sql`listing_id is null`),
  ],
);

export const countedOrders = ['age', 'price', 'sales'] as const;

/**
 * How many published listings there are, for each sort order: by range of values, by value, and within one
 * value by age. A trigger on `listings` updates the counts, so that a count needs no scan, and a page far down
 * a list is found without skipping all rows before it.
 */
export const listingCounts = pgTable(
  'listing_counts',
  {
    listedBy: text().$type<(typeof countedOrders)[number]>().notNull(),
    /** `ALL`, or a category. */
    category: text().notNull(),
    /** 1: a range of values (cell); 2: one value; 3: a chunk of ages within one value. */
    level: integer().notNull(),
    cell: bigint({ mode: 'number' }).notNull(),
    value: bigint({ mode: 'number' }).notNull(),
    /** The listing's `seq` divided by 1024. */
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
    /** No foreign key: an order stays when its server is deleted. */
    serverId: uuid(),
    quantity: integer().notNull(),
    unitPriceCents: money().notNull(),
    totalCents: money().notNull(),
    feeCents: money().notNull(),
    currency: text().notNull(),
    payWith: text().$type<PaymentMethod>().notNull(),
    status: text().$type<OrderStatus>().notNull().default('PENDING'),
    /** What the card provider refunded of the money in escrow or of what the seller was paid. */
    refundedCents: money().notNull().default(0),
    delivered: integer().notNull().default(0),
    /** When the seller had delivered all of it by hand. */
    deliveredAt: moment(),
    /** The backup that a template is delivered as; set before the first object is copied. */
    backupId: uuid(),
    objectsTotal: integer().notNull().default(0),
    objectsDone: integer().notNull().default(0),
    checkoutUrl: text(),
    /** The provider's id of its checkout, with which it can be closed. */
    checkoutRef: text(),
    /** While the payer disputes the charge the money is in escrow, whatever the status. */
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
    index('orders_completed')
      .on(order.sellerId, order.completedAt)
      .where(sql`completed_at is not null`)
      .concurrently(),
    index('orders_to_expire').on(order.expiresAt).where(sql`status = 'PENDING'`),
    index('orders_to_complete').on(order.deliveredAt).where(sql`status = 'FULFILLING'`),
  ],
);

export type LateState = 'RETURNING' | 'RETURNED' | 'CREDITED';

/**
 * Payments that providers reported. An order's first payment goes to escrow, later ones are the buyer's. A
 * payment of a wrong amount has 0 cents. A refund that was reported before its payment is a row of negative
 * cents until the payment arrives.
 */
export const orderPayments = pgTable(
  'order_payments',
  {
    id: uuid().primaryKey(),
    orderId: uuid()
      .notNull()
      .references(() => orders.id),
    provider: text().$type<PaymentProvider>().notNull(),
    /** The provider's id of the checkout. Unique, so that a payment counts once. */
    providerRef: text().notNull(),
    /** Refunds name their payment by this. */
    paymentIntent: text(),
    amountCents: money().notNull(),
    currency: text().notNull(),
    /** The payment is the buyer's, because the order could no longer be paid. */
    isCredited: boolean().notNull(),
    /** For a late payment: the provider has refunded it, or refused and it became credit. */
    lateState: text().$type<LateState>(),
    /** What the provider refunded before the rest became credit. */
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
  (payout) => [index('payouts_of_account').on(payout.accountId)],
);

import type { OwnOrderQuery, PageQuery } from '@holdfast/contract';
import { and, asc, count, desc, eq, inArray, lt, or, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { orders } from '../table.ts';

const { id, buyerId, sellerId, status, createdAt } = orders;

const orderFields = {
  id,
  listingId: orders.listingId,
  listingTitle: orders.listingTitle,
  deliveryType: orders.deliveryType,
  buyerId,
  sellerId,
  serverId: orders.serverId,
  quantity: orders.quantity,
  unitPriceCents: orders.unitPriceCents,
  totalCents: orders.totalCents,
  feeCents: orders.feeCents,
  currency: orders.currency,
  payWith: orders.payWith,
  status,
  refundedCents: orders.refundedCents,
  delivered: orders.delivered,
  backupId: orders.backupId,
  objectsTotal: orders.objectsTotal,
  objectsDone: orders.objectsDone,
  checkoutUrl: orders.checkoutUrl,
  checkoutRef: orders.checkoutRef,
  isDisputed: orders.isDisputed,
  expiresAt: orders.expiresAt,
  paidAt: orders.paidAt,
  completedAt: orders.completedAt,
  createdAt,
  updatedAt: orders.updatedAt,
};

const isPartyOf = (accountId: string) => or(eq(buyerId, accountId), eq(sellerId, accountId));

export type NewOrder = typeof orders.$inferInsert;

export const insertOrder = async (tx: Transaction, row: NewOrder) => {
  const [order] = await tx.insert(orders).values(row).returning(orderFields);
  if (!order) throw new Error('The order was not stored');
  return order;
};

export type StoredOrder = Awaited<ReturnType<typeof insertOrder>>;

/** For its buyer and its seller. */
export const findOrder = async (db: Queryable, accountId: string, orderId: string) => {
  const [order] = await db
    .select(orderFields)
    .from(orders)
    .where(and(eq(id, orderId), isPartyOf(accountId)));
  return order;
};

export const lockOrderOf = async (tx: Transaction, accountId: string, orderId: string) => {
  const [order] = await tx
    .select(orderFields)
    .from(orders)
    .where(and(eq(id, orderId), isPartyOf(accountId)))
    .for('no key update');
  return order;
};

/** Whoever's it is: for the providers, the clock and the operator. */
export const lockOrder = async (tx: Transaction, orderId: string) => {
  const [order] = await tx
    .select(orderFields)
    .from(orders)
    .where(eq(id, orderId))
    .for('no key update');
  return order;
};

export const findBuyerOf = async (db: Queryable, orderId: string): Promise<string | null> => {
  const [order] = await db.select({ buyerId }).from(orders).where(eq(id, orderId));
  return order?.buyerId ?? null;
};

/**
 * Of an order that is locked. The transaction may have begun before it got the lock, and our clock may be
 * ahead of the database's: so `updatedAt` is never before any time that is written with it or was before.
 */
export const updateOrder = async (
  tx: Transaction,
  order: { id: string; buyerId: string },
  changes: Partial<typeof orders.$inferInsert>,
): Promise<StoredOrder> => {
  const [updated] = await tx
    .update(orders)
    .set({ ...changes, updatedAt: laterThan(changes) })
    .where(and(eq(id, order.id), eq(buyerId, order.buyerId)))
    .returning(orderFields);
  if (!updated) throw new Error('The order is not there');
  return updated;
};

const laterThan = ({ paidAt, completedAt }: Partial<typeof orders.$inferInsert>) => {
  const written = (time: Date | null | undefined) =>
    sql`${time?.toISOString() ?? null}::timestamptz`;
  return sql`greatest(clock_timestamp(), ${orders.updatedAt}, ${written(paidAt)}, ${written(completedAt)})`;
};

/** Told by whoever delivers it, without waiting: what comes late must not spoil an end. */
export const tellObjectsDone = async (
  db: Queryable,
  order: { id: string; buyerId: string },
  objectsDone: number,
): Promise<void> => {
  await db
    .update(orders)
    .set({ objectsDone })
    .where(and(eq(id, order.id), eq(buyerId, order.buyerId), eq(status, 'FULFILLING')));
};

/** Those one bought and those one sold; nobody buys from themselves, so none is both. */
export const listOrders = async (db: Queryable, accountId: string, { page, limit }: PageQuery) => {
  const offset = (page - 1) * limit;
  const newest = (party: typeof buyerId | typeof sellerId) =>
    db
      .select({ id, createdAt })
      .from(orders)
      .where(eq(party, accountId))
      .orderBy(desc(createdAt), desc(id))
      .limit(offset + limit);
  const mine = unionAll(newest(buyerId), newest(sellerId)).as('mine');
  const ids = db
    .select({ id: mine.id })
    .from(mine)
    .orderBy(desc(mine.createdAt), desc(mine.id))
    .limit(limit)
    .offset(offset);
  const rows = await db
    .select(orderFields)
    .from(orders)
    .where(inArray(id, ids))
    .orderBy(desc(createdAt), desc(id));
  return { rows, total: await countOrders(db, accountId) };
};

const countOrders = async (db: Queryable, accountId: string): Promise<number> => {
  const of = async (party: typeof buyerId | typeof sellerId) => {
    const [counted] = await db.select({ total: count() }).from(orders).where(eq(party, accountId));
    return counted?.total ?? 0;
  };
  return (await of(buyerId)) + (await of(sellerId));
};

/** What is paid for and delivered by hand, until its buyer has confirmed it. */
const isToDeliver = and(eq(orders.deliveryType, 'MANUAL'), inArray(status, ['PAID', 'FULFILLING']));

/** From one side. */
export const listOwnOrders = async (
  db: Queryable,
  accountId: string,
  { view, page, limit }: OwnOrderQuery,
) => {
  const isOwn = and(
    eq(view === 'BOUGHT' ? buyerId : sellerId, accountId),
    view === 'TO_DELIVER' ? isToDeliver : undefined,
  );
  const [rows, [counted]] = await Promise.all([
    db
      .select(orderFields)
      .from(orders)
      .where(isOwn)
      .orderBy(desc(createdAt), desc(id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(orders).where(isOwn),
  ]);
  return { rows, total: counted?.total ?? 0 };
};

/** How many of somebody's wait to be paid. */
export const countPending = async (db: Queryable, accountId: string): Promise<number> => {
  const [counted] = await db
    .select({ total: count() })
    .from(orders)
    .where(and(eq(buyerId, accountId), eq(status, 'PENDING')));
  return counted?.total ?? 0;
};

export const listUnpaid = (db: Queryable, before: Date, most: number) =>
  db
    .select({ id })
    .from(orders)
    .where(and(eq(status, 'PENDING'), lt(orders.expiresAt, before)))
    .orderBy(asc(orders.expiresAt))
    .limit(most);

/** All of it was delivered by then, and nobody said otherwise. */
export const listUnconfirmed = (db: Queryable, before: Date, most: number) =>
  db
    .select({ id })
    .from(orders)
    .where(and(eq(status, 'FULFILLING'), lt(orders.deliveredAt, before)))
    .orderBy(asc(orders.deliveredAt))
    .limit(most);

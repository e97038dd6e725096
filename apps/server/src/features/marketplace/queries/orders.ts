import type { OwnOrderQuery, PageQuery } from '@holdfast/contract';
import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  lt,
  ne,
  not,
  or,
  sql,
} from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { orders } from '../table.ts';
import { deletedListingTitle } from './listings.ts';

const { id, buyerId, sellerId, status, createdAt, updatedAt } = orders;
const { listingId, listingTitle, deliveryType, serverId, quantity, payWith } = orders;
const { unitPriceCents, totalCents, feeCents, currency, refundedCents, isDisputed } = orders;
const { delivered, backupId, objectsTotal, objectsDone, checkoutUrl, checkoutRef } = orders;
const { expiresAt, paidAt, completedAt } = orders;

const orderFields = {
  ...{ id, buyerId, sellerId, status, createdAt, updatedAt },
  ...{ listingId, listingTitle, deliveryType, serverId, quantity, payWith },
  ...{ unitPriceCents, totalCents, feeCents, currency, refundedCents, isDisputed },
  ...{ delivered, backupId, objectsTotal, objectsDone, checkoutUrl, checkoutRef },
  ...{ expiresAt, paidAt, completedAt },
};

const isPartyOf = (accountId: string) => or(eq(buyerId, accountId), eq(sellerId, accountId));

export const insertOrder = async (tx: Transaction, row: typeof orders.$inferInsert) => {
  const [order] = await tx.insert(orders).values(row).returning(orderFields);
  if (!order) throw new Error('The order was not stored');
  return order;
};

export type StoredOrder = Awaited<ReturnType<typeof insertOrder>>;

const selectOrder = (db: Queryable, orderId: string, accountId?: string) =>
  db
    .select(orderFields)
    .from(orders)
    .where(and(eq(id, orderId), accountId === undefined ? undefined : isPartyOf(accountId)));

/** Only for the buyer and the seller. */
export const findOrder = async (db: Queryable, accountId: string, orderId: string) =>
  (await selectOrder(db, orderId, accountId))[0];

/** Only for the buyer and the seller. */
export const lockOwnOrder = async (tx: Transaction, accountId: string, orderId: string) =>
  (await selectOrder(tx, orderId, accountId).for('no key update'))[0];

/** Of any account: for events of providers, jobs and the operator. */
export const lockOrder = async (tx: Transaction, orderId: string) =>
  (await selectOrder(tx, orderId).for('no key update'))[0];

export const findOrderSummary = async (db: Queryable, orderId: string) => {
  const [order] = await db
    .select({ title: listingTitle, totalCents, currency, paidAt })
    .from(orders)
    .where(eq(id, orderId));
  return order && { ...order, isPaid: order.paidAt !== null };
};

export const findBuyer = async (db: Queryable, orderId: string): Promise<string | null> => {
  const [order] = await db.select({ buyerId }).from(orders).where(eq(id, orderId));
  return order?.buyerId ?? null;
};

/**
 * The order must be locked. The transaction may have begun before it got the lock, and our clock may be ahead
 * of the database's. So `updatedAt` is at least the previous one and every time that is written with it.
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
  if (!updated) throw new Error('The order does not exist');
  return updated;
};

const laterThan = ({ paidAt, completedAt }: Partial<typeof orders.$inferInsert>) => {
  const written = (time: Date | null | undefined) =>
    sql`${time?.toISOString() ?? null}::timestamptz`;
  return sql`greatest(clock_timestamp(), ${orders.updatedAt}, ${written(paidAt)}, ${written(completedAt)})`;
};

/** The delivery does not wait for this write, so a late one must not change an order that has ended. */
export const updateObjectsDone = async (
  db: Queryable,
  order: { id: string; buyerId: string },
  objectsDone: number,
): Promise<void> => {
  await db
    .update(orders)
    .set({ objectsDone })
    .where(and(eq(id, order.id), eq(buyerId, order.buyerId), eq(status, 'FULFILLING')));
};

/** Bought and sold orders. An account cannot buy from itself, so no order is in both lists. */
export const listOrders = async (db: Queryable, accountId: string, { page, limit }: PageQuery) => {
  const offset = (page - 1) * limit;
  const newest = (party: typeof buyerId | typeof sellerId) =>
    db
      .select({ id, createdAt })
      .from(orders)
      .where(eq(party, accountId))
      .orderBy(desc(createdAt), desc(id))
      .limit(offset + limit);
  const own = unionAll(newest(buyerId), newest(sellerId)).as('own');
  const ids = db
    .select({ id: own.id })
    .from(own)
    .orderBy(desc(own.createdAt), desc(own.id))
    .limit(limit)
    .offset(offset);
  const rows = await db
    .select(orderFields)
    .from(orders)
    .where(inArray(id, ids))
    .orderBy(desc(createdAt), desc(id));
  const bought = await countRows(db, orders, eq(buyerId, accountId));
  const sold = await countRows(db, orders, eq(sellerId, accountId));
  return { rows, total: bought + sold };
};

/** Paid orders that are delivered by hand and not yet confirmed. */
const isToDeliver = and(eq(orders.deliveryType, 'MANUAL'), inArray(status, ['PAID', 'FULFILLING']));

/** The account's orders of one side. */
export const listOwnOrders = (
  db: Queryable,
  accountId: string,
  { view, ...query }: OwnOrderQuery,
) => {
  const isOwn = and(
    eq(view === 'BOUGHT' ? buyerId : sellerId, accountId),
    view === 'TO_DELIVER' ? isToDeliver : undefined,
  );
  const rows = db.select(orderFields).from(orders).where(isOwn).orderBy(desc(createdAt), desc(id));
  return listPage(query, rows, countRows(db, orders, isOwn));
};

/** How many orders of a buyer wait to be paid. */
export const countPendingOrders = (db: Queryable, accountId: string): Promise<number> =>
  countRows(db, orders, and(eq(buyerId, accountId), eq(status, 'PENDING')));

export const listUnpaid = (db: Queryable, before: Date, limit: number) =>
  db
    .select({ id })
    .from(orders)
    .where(and(eq(status, 'PENDING'), lt(orders.expiresAt, before)))
    .orderBy(asc(orders.expiresAt))
    .limit(limit);

/** Delivered by then, and neither confirmed nor contested. */
export const listUnconfirmed = (db: Queryable, before: Date, limit: number) =>
  db
    .select({ id })
    .from(orders)
    .where(and(eq(status, 'FULFILLING'), lt(orders.deliveredAt, before)))
    .orderBy(asc(orders.deliveredAt))
    .limit(limit);

/** Orders of either side whose money is in escrow. */
export const countOpenOrders = (db: Queryable, accountId: string): Promise<number> =>
  countRows(db, orders, and(isPartyOf(accountId), inArray(status, ['PAID', 'FULFILLING'])));

/** Unpaid, or with their money in escrow. */
export const listUnendedOrders = (tx: Transaction, accountId: string) =>
  tx
    .select({ id })
    .from(orders)
    .where(and(isPartyOf(accountId), inArray(status, ['PENDING', 'PAID', 'FULFILLING'])))
    .orderBy(asc(id));

type OfBuyer = { buyerId: string; listingId: string };

const isOfBuyer = (wanted: OfBuyer) =>
  and(eq(buyerId, wanted.buyerId), eq(listingId, wanted.listingId));

/** Call it under a lock on the buyer's account. */
export const hasOpenFreeOrder = (tx: Transaction, wanted: OfBuyer): Promise<boolean> =>
  hasRows(
    tx
      .select({ id })
      .from(orders)
      .where(and(isOfBuyer(wanted), eq(totalCents, 0), inArray(status, ['PAID', 'FULFILLING'])))
      .limit(1),
  );

/** Whether this buyer has bought it before, in an order that counts as a sale. */
export const hasEarlierSale = (tx: Transaction, order: OfBuyer & { id: string }) =>
  hasRows(
    tx
      .select({ id })
      .from(orders)
      .where(
        and(
          ...[isOfBuyer(order), ne(id, order.id), isNotNull(completedAt)],
          ...[gt(totalCents, 0), gt(delivered, 0)],
        ),
      )
      .limit(1),
  );

type SalesOf = { sellerId: string; currency: string; since: Date };

/** Completed since then, without those whose money is in escrow because of a dispute. */
export const listSalesSince = (db: Queryable, wanted: SalesOf) =>
  db
    .select({ totalCents, feeCents, refundedCents, count: count() })
    .from(orders)
    .where(
      and(
        ...[eq(sellerId, wanted.sellerId), eq(currency, wanted.currency)],
        ...[gt(completedAt, wanted.since), not(isDisputed)],
      ),
    )
    .groupBy(totalCents, feeCents, refundedCents);

/**
 * Both parties keep an order as a record, with the title of the listing. A title that names the person whose
 * account is deleted is replaced.
 */
export const renameOrdersNaming = async (
  tx: Transaction,
  accountId: string,
  person: { platformId: string; username: string; displayName: string | null },
): Promise<void> => {
  const names = [person.platformId, person.username, person.displayName];
  const namesPerson = names.flatMap((name) =>
    name ? [sql`strpos(lower(${orders.listingTitle}), lower(${name})) > 0`] : [],
  );
  await tx
    .update(orders)
    .set({ listingTitle: deletedListingTitle })
    .where(and(isPartyOf(accountId), or(...namesPerson)));
};

import { inArray } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { accounts } from '../../accounts/table.ts';
import { listings } from '../table.ts';
import type { StoredOrder } from './orders.ts';

/** Names and pictures of the buyers and sellers of orders that the reader is a party of. */
export const findParties = async (db: Queryable, orders: StoredOrder[]) => {
  const { id, username, avatarUrl } = accounts;
  const ids = [...new Set(orders.flatMap(({ buyerId, sellerId }) => [buyerId, sellerId]))];
  if (ids.length === 0) return new Map<string, never>();
  const rows = await db.select({ id, username, avatarUrl }).from(accounts).where(inArray(id, ids));
  return new Map(rows.map((party) => [party.id, party]));
};

/** What those orders are for; a listing is never deleted while there are orders of it. */
export const findOrdered = async (db: Queryable, orders: StoredOrder[]) => {
  const { id, category, isPublished } = listings;
  const ids = [...new Set(orders.map(({ listingId }) => listingId))];
  if (ids.length === 0) return new Map<string, never>();
  const rows = await db
    .select({ id, category, isPublished })
    .from(listings)
    .where(inArray(id, ids));
  return new Map(rows.map((listing) => [listing.id, listing]));
};

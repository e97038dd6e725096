import { eq, or, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { accounts } from '../../accounts/table.ts';
import { listings } from '../table.ts';

const { sellerId, isPublished, salesCount, createdAt } = listings;

/** Whoever has something for sale; the viewer also with unpublished listings alone. */
export const findSeller = (db: Queryable, id: string, viewerId: string) =>
  firstRow(
    db
      .select({
        id: accounts.id,
        username: accounts.username,
        avatarUrl: accounts.avatarUrl,
        listings: sql<number>`count(*) filter (where ${isPublished})`.mapWith(Number),
        // A sale is counted when its order is completed.
        completedOrders: sql<number>`sum(${salesCount})`.mapWith(Number),
        sellingSince: sql<Date>`min(${createdAt})`.mapWith(createdAt),
      })
      .from(listings)
      .innerJoin(accounts, eq(accounts.id, sellerId))
      .where(eq(sellerId, id))
      .groupBy(accounts.id)
      .having(or(sql`bool_or(${isPublished})`, eq(accounts.id, viewerId))),
  );

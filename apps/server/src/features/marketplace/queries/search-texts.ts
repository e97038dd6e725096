import { and, desc, eq, gte } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { listings } from '../table.ts';

const { id, sellerId, title, description, searchText, updatedAt, isPublished } = listings;

/** Published ones, the last changed first. */
export const listChangedSince = (db: Queryable, since: Date, limit: number) =>
  db
    .select({ id, sellerId, title, description, searchText })
    .from(listings)
    .where(and(isPublished, gte(updatedAt, since)))
    .orderBy(desc(updatedAt))
    .limit(limit);

type Folded = Awaited<ReturnType<typeof listChangedSince>>[number];

/** Unless it was changed meanwhile. */
export const setSearchText = async (db: Queryable, folded: Folded): Promise<void> => {
  await db
    .update(listings)
    .set({ searchText: folded.searchText })
    .where(
      and(
        eq(id, folded.id),
        eq(sellerId, folded.sellerId),
        eq(title, folded.title),
        eq(description, folded.description),
      ),
    );
};

import type { ListingQuery, PageQuery } from '@holdfast/contract';
import { and, count, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { accounts } from '../../accounts/table.ts';
import { listings } from '../table.ts';
import { findPage } from './page/queries.ts';

const listingFields = {
  id: listings.id,
  seq: listings.seq,
  sellerId: listings.sellerId,
  title: listings.title,
  description: listings.description,
  category: listings.category,
  priceCents: listings.priceCents,
  currency: listings.currency,
  isPublished: listings.isPublished,
  salesCount: listings.salesCount,
  backupId: listings.backupId,
  createdAt: listings.createdAt,
  updatedAt: listings.updatedAt,
};

const shownFields = {
  ...listingFields,
  sellerName: accounts.username,
  sellerAvatarUrl: accounts.avatarUrl,
};

const withSeller = (db: Queryable) =>
  db.select(shownFields).from(listings).innerJoin(accounts, eq(accounts.id, listings.sellerId));

export type ShownListing = Awaited<ReturnType<typeof listListings>>['rows'][number];

/** Published ones. Which they are, and how many there are, is one question; what they are, another. */
export const listListings = async (db: Queryable, query: ListingQuery) => {
  const { seqs, total } = await findPage(db, query);
  if (seqs.length === 0) return { rows: [], total };
  const found = await withSeller(db).where(inArray(listings.seq, seqs));
  const rows = found.toSorted((one, other) => seqs.indexOf(one.seq) - seqs.indexOf(other.seq));
  return { rows, total };
};

/** Published or not, newest first. */
export const listOwnListings = async (
  db: Queryable,
  sellerId: string,
  { page, limit }: PageQuery,
) => {
  const [rows, total] = await Promise.all([
    withSeller(db)
      .where(eq(listings.sellerId, sellerId))
      .orderBy(desc(listings.seq))
      .limit(limit)
      .offset((page - 1) * limit),
    countOwnListings(db, sellerId),
  ]);
  return { rows, total };
};

/** Published or not. */
export const countOwnListings = async (db: Queryable, sellerId: string): Promise<number> => {
  const isOwn = eq(listings.sellerId, sellerId);
  const [counted] = await db.select({ total: count() }).from(listings).where(isOwn);
  return counted?.total ?? 0;
};

/** Whoever's it is, published or not. */
export const findListing = async (db: Queryable, id: string) => {
  const [listing] = await db.select(listingFields).from(listings).where(eq(listings.id, id));
  return listing;
};

export type Listing = NonNullable<Awaited<ReturnType<typeof findListing>>>;

export const insertListing = async (
  tx: Transaction,
  row: typeof listings.$inferInsert,
): Promise<void> => {
  await tx.insert(listings).values(row);
};

type Owned = { id: string; sellerId: string };

const owned = (owner: Owned) =>
  and(eq(listings.id, owner.id), eq(listings.sellerId, owner.sellerId));

export const lockListing = async (tx: Transaction, owner: Owned) => {
  const [listing] = await tx
    .select(listingFields)
    .from(listings)
    .where(owned(owner))
    .for('no key update');
  return listing;
};

export const updateListing = async (
  tx: Transaction,
  owner: Owned,
  changes: Partial<typeof listings.$inferInsert>,
): Promise<void> => {
  await tx
    .update(listings)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(owned(owner));
};

export const readListing = async (db: Queryable, owner: Owned): Promise<ShownListing> => {
  const [listing] = await withSeller(db).where(owned(owner));
  if (!listing) throw new Error('The listing is not there');
  return listing;
};

/** Not a change of its own: `updatedAt` stays. */
export const countSale = async (tx: Transaction, owner: Owned): Promise<void> => {
  await tx
    .update(listings)
    .set({ salesCount: sql`${listings.salesCount} + 1` })
    .where(owned(owner));
};

/** Which of these are listings. */
export const whichAreListings = async (
  db: Queryable,
  ids: readonly string[],
): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const found = await db
    .select({ id: listings.id })
    .from(listings)
    .where(inArray(listings.id, [...ids]));
  return new Set(found.map(({ id }) => id));
};

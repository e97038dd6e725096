import type { ListingQuery, PageQuery } from '@holdfast/contract';
import { and, desc, eq, inArray, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { accounts } from '../../accounts/table.ts';
import { uploads, uploadUses } from '../../uploads/table.ts';
import { listingSearchText, pictureField, searchWords } from '../rules.ts';
import { listings } from '../table.ts';
import { findPage } from './listing-pages.ts';
import { findMatches } from './search-listings.ts';

const { id, seq, sellerId, title, description, category, priceCents, currency } = listings;
const { isPublished, salesCount, backupId, createdAt, updatedAt } = listings;

const listingFields = {
  ...{ id, seq, sellerId, title, description, category, priceCents, currency },
  ...{ isPublished, salesCount, backupId, createdAt, updatedAt },
};

const shownFields = {
  ...listingFields,
  sellerName: accounts.username,
  sellerAvatarUrl: accounts.avatarUrl,
  imageUploadId: uploads.id,
  imageToken: uploads.token,
};

const usesPicture = and(
  eq(uploadUses.holderId, listings.id),
  eq(uploadUses.accountId, listings.sellerId),
  eq(uploadUses.field, pictureField),
);

const selectShown = (db: Queryable) =>
  db
    .select(shownFields)
    .from(listings)
    .innerJoin(accounts, eq(accounts.id, listings.sellerId))
    .leftJoin(uploadUses, usesPicture)
    .leftJoin(uploads, eq(uploads.id, uploadUses.uploadId));

export type ShownListing = Awaited<ReturnType<typeof listListings>>['rows'][number];

/** Published listings. One query finds the page and the count, another reads the rows. */
export const listListings = async (db: Queryable, query: ListingQuery) => {
  const words = searchWords(query.search ?? '');
  const { seqs, total } =
    words.length > 0 ? await findMatches(db, query, words) : await findPage(db, query);
  if (seqs.length === 0) return { rows: [], total };
  const found = await selectShown(db).where(inArray(listings.seq, seqs));
  const rows = found.toSorted((one, other) => seqs.indexOf(one.seq) - seqs.indexOf(other.seq));
  return { rows, total };
};

/** Published or not, newest first. */
export const listOwnListings = (db: Queryable, sellerId: string, query: PageQuery) =>
  listPage(
    query,
    selectShown(db).where(eq(listings.sellerId, sellerId)).orderBy(desc(listings.seq)),
    countOwnListings(db, sellerId),
  );

/** Published or not. */
export const countOwnListings = (db: Queryable, sellerId: string): Promise<number> =>
  countRows(db, listings, eq(listings.sellerId, sellerId));

/** Of any seller, published or not. */
export const findListing = (db: Queryable, id: string) =>
  firstRow(db.select(listingFields).from(listings).where(eq(listings.id, id)));

export type Listing = NonNullable<Awaited<ReturnType<typeof findListing>>>;

export const insertListing = async (
  tx: Transaction,
  row: Omit<typeof listings.$inferInsert, 'searchText'>,
): Promise<void> => {
  const searchText = listingSearchText(row.title, row.description);
  await tx.insert(listings).values({ ...row, searchText });
};

type Owned = { id: string; sellerId: string };

const owned = (owner: Owned) =>
  and(eq(listings.id, owner.id), eq(listings.sellerId, owner.sellerId));

export const lockListing = (tx: Transaction, owner: Owned) =>
  firstRow(tx.select(listingFields).from(listings).where(owned(owner)).for('no key update'));

export const updateListing = async (
  tx: Transaction,
  before: Listing,
  changes: Partial<typeof listings.$inferInsert>,
): Promise<void> => {
  const { title = before.title, description = before.description } = changes;
  const searchText = listingSearchText(title, description);
  await tx
    .update(listings)
    .set({ ...changes, searchText, updatedAt: sql`now()` })
    .where(owned(before));
};

export const readListing = async (db: Queryable, owner: Owned): Promise<ShownListing> => {
  const [listing] = await selectShown(db).where(owned(owner));
  if (!listing) throw new Error('The listing does not exist');
  return listing;
};

const isPublishedOf = (sellerId: string) =>
  and(eq(listings.sellerId, sellerId), eq(listings.isPublished, true));

/** Published, or the viewer's own. */
export const findShownListing = (db: Queryable, listingId: string, viewerId: string) =>
  firstRow(
    selectShown(db).where(
      and(eq(listings.id, listingId), or(isPublished, eq(listings.sellerId, viewerId))),
    ),
  );

/** Newest first. */
export const listPublishedOf = (db: Queryable, sellerId: string, query: PageQuery) =>
  listPage(
    query,
    selectShown(db).where(isPublishedOf(sellerId)).orderBy(desc(listings.seq)),
    countRows(db, listings, isPublishedOf(sellerId)),
  );

/** A sale is not a change of the listing: `updatedAt` stays. The listing must be locked. */
export const countSale = async (tx: Transaction, owner: Owned): Promise<void> => {
  await tx
    .update(listings)
    .set({ salesCount: sql`${listings.salesCount} + 1` })
    .where(owned(owner));
};

export const unpublishListings = async (tx: Transaction, sellerId: string): Promise<void> => {
  await tx
    .update(listings)
    .set({ isPublished: false, updatedAt: sql`now()` })
    .where(isPublishedOf(sellerId));
};

/** The title of a listing whose seller's account is deleted. */
export const deletedListingTitle = 'Deleted listing';

/** Removes what the seller wrote. The rows stay, because orders refer to them. */
export const eraseListings = async (tx: Transaction, sellerId: string): Promise<void> => {
  await tx
    .update(listings)
    .set({ title: deletedListingTitle, description: '', searchText: '', backupId: null })
    .where(eq(listings.sellerId, sellerId));
};

import type { DashboardEndpoints } from '@holdfast/contract';
import type { Queryable } from '../../../db/connect.ts';
import type { Handlers } from '../../../http/handler.ts';
import { notFound } from '../../../kernel/errors.ts';
import { findShownListing, listOwnListings, listPublishedOf } from '../queries/listings.ts';
import { findSeller } from '../queries/sellers.ts';
import type { TemplateDependencies } from '../templates/make-template.ts';
import { readTemplateContents } from '../templates/read-contents.ts';
import { type ListingPictures, listingRecord } from './listing-record.ts';

type Endpoints = Pick<
  DashboardEndpoints,
  'getListing' | 'getTemplateContents' | 'getSeller' | 'listSellerListings' | 'listOwnListings'
>;

export type ListingViewDependencies = TemplateDependencies & ListingPictures;

export const listingDashboardHandlers = (
  dependencies: ListingViewDependencies,
): Handlers<Endpoints> => ({
  async getListing(db, { account, params }) {
    const listing = await requireShown(db, params.id, account.accountId);
    return { ...listingRecord(listing, dependencies), published: listing.isPublished };
  },

  async getTemplateContents(db, { account, params }) {
    const { id } = await requireShown(db, params.id, account.accountId);
    return readTemplateContents(dependencies, id);
  },

  async getSeller(db, { account, params }) {
    const { avatarUrl, ...seller } = await requireSeller(db, params.id, account.accountId);
    return { ...seller, avatar: dependencies.picture('avatar', avatarUrl) };
  },

  async listSellerListings(db, { account, params, query }) {
    const { id } = await requireSeller(db, params.id, account.accountId);
    const { rows, total } = await listPublishedOf(db, id, query);
    return { rows: rows.map((listing) => listingRecord(listing, dependencies)), total };
  },

  async listOwnListings(db, { account: { accountId }, query }) {
    const { rows, total } = await listOwnListings(db, accountId, query);
    const own = rows.map((listing) => ({
      ...listingRecord(listing, dependencies),
      published: listing.isPublished,
    }));
    return { rows: own, total };
  },
});

const requireShown = async (db: Queryable, listingId: string, viewerId: string) => {
  const listing = await findShownListing(db, listingId, viewerId);
  if (!listing) throw notFound('Listing');
  return listing;
};

const requireSeller = async (db: Queryable, sellerId: string, viewerId: string) => {
  const seller = await findSeller(db, sellerId, viewerId);
  if (!seller) throw notFound('Seller');
  return seller;
};

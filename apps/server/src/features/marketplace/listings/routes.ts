import type { marketplaceEndpoints } from '@holdfast/contract';
import { markUnchanged } from '../../../http/audited.ts';
import type { AskFirst, Handlers } from '../../../http/handler.ts';
import { createAccountSemaphore } from '../../../http/limits/account-concurrency.ts';
import { invalidField, notFound } from '../../../kernel/errors.ts';
import { recordAudit } from '../../audit/queries.ts';
import { changedFields } from '../../audit/rules.ts';
import {
  type Listing,
  listListings,
  lockListing,
  readListing,
  updateListing,
} from '../queries/listings.ts';
import { createTemplateMaker, type TemplateDependencies } from '../templates/make-template.ts';
import { prepareListing } from './create-listing.ts';
import { findListingPicture, useListingPicture } from './listing-picture.ts';
import { type ListingPictures, listingRecord } from './listing-record.ts';

type Endpoints = Pick<
  typeof marketplaceEndpoints,
  'listListings' | 'createListing' | 'updateListing'
>;

export type ListingDependencies = TemplateDependencies & ListingPictures;

/** A search for a short or frequent word reads the text of most listings. */
const searches = { atOnce: 1, longestWaitMs: 1500 };

export const listingHandlers = (dependencies: ListingDependencies): Handlers<Endpoints> => ({
  listListings: listPublished(dependencies),

  createListing: createListing(dependencies),

  async updateListing(tx, { account, actor, params, body, requireCodeForChanges }) {
    const owner = { id: params.id, sellerId: account.accountId };
    const before = await lockListing(tx, owner);
    if (!before) throw notFound('Listing');
    requireCodeForChanges(before);
    requireUnchanged(before, body);
    const { title, description, priceCents, published: isPublished, imageUploadId } = body;
    const imageBefore = await findListingPicture(tx, owner);
    const changes = changedFields(
      { ...before, imageUploadId: imageBefore },
      { title, description, priceCents, isPublished, imageUploadId },
    );
    if (Object.keys(changes).length === 0) markUnchanged(tx);
    else {
      await updateListing(tx, before, { title, description, priceCents, isPublished });
      if ('imageUploadId' in changes) await useListingPicture(tx, owner, imageUploadId ?? null);
      await recordAudit(tx, {
        ...{ accountId: account.accountId, actor, action: 'listing.update' },
        subject: { type: 'listing', id: params.id },
        changes,
      });
    }
    return listingRecord(await readListing(tx, owner), dependencies);
  },
});

const listPublished = (dependencies: ListingDependencies): Handlers<Endpoints>['listListings'] => {
  const limitSearches = createAccountSemaphore(searches);
  return async (db, { account, query }) => {
    const list = () => listListings(db, query);
    const { rows, total } = await (query.search === undefined
      ? list()
      : limitSearches(account.accountId, list));
    return { rows: rows.map((listing) => listingRecord(listing, dependencies)), total };
  };
};

const createListing = (dependencies: ListingDependencies): AskFirst<Endpoints['createListing']> => {
  const makeTemplate = createTemplateMaker(dependencies);
  return {
    async askFirst(_, { account, body }) {
      const create = await prepareListing(makeTemplate, account, body);
      return async (tx, { actor }) => {
        const owner = await create(tx, actor);
        return listingRecord(await readListing(tx, owner), dependencies);
      };
    },
  };
};

/** The category and the backup cannot change. Naming the same ones again is allowed. */
const requireUnchanged = (
  before: Listing,
  { category, backupId }: { category?: string | undefined; backupId?: string | undefined },
): void => {
  if (category !== undefined && category !== before.category) {
    throw invalidField('category', 'A listing stays in its category: make another one');
  }
  if (backupId !== undefined && backupId.toLowerCase() !== before.backupId) {
    throw invalidField('backupId', 'A template stays what it was made from: make another one');
  }
};

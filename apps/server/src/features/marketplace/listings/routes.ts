import type { DashboardEndpoints, marketplaceEndpoints } from '@holdfast/contract';
import type { AskFirst, Handlers } from '../../../http/handler.ts';
import type { Picture } from '../../../http/pages/placeholders.ts';
import { invalidField, notFound } from '../../../kernel/errors.ts';
import { recordAudit } from '../../audit/queries.ts';
import { changedFields } from '../../audit/rules.ts';
import {
  type Listing,
  listListings,
  listOwnListings,
  lockListing,
  readListing,
  type ShownListing,
  updateListing,
} from '../queries/listings.ts';
import { deliveryTypeOf } from '../rules.ts';
import { createTemplateMaker, type TemplateDependencies } from '../templates/make-template.ts';
import { prepareListing } from './create-listing.ts';

type Endpoints = Pick<
  typeof marketplaceEndpoints,
  'listListings' | 'createListing' | 'updateListing'
>;

export type ListingDependencies = TemplateDependencies & { picture: Picture };

export const listingHandlers = (dependencies: ListingDependencies): Handlers<Endpoints> => ({
  async listListings(db, { query }) {
    const { rows, total } = await listListings(db, query);
    return { rows: rows.map((listing) => recordOf(listing, dependencies.picture)), total };
  },

  createListing: createListing(dependencies),

  async updateListing(tx, { account, actor, params, body, requireCodeForChanges }) {
    const owner = { id: params.id, sellerId: account.accountId };
    const before = await lockListing(tx, owner);
    if (!before) throw notFound('Listing');
    requireCodeForChanges(before);
    requireUnchanged(before, body);
    const { title, description, priceCents, published: isPublished } = body;
    const changes = changedFields(before, { title, description, priceCents, isPublished });
    if (Object.keys(changes).length > 0) {
      await updateListing(tx, owner, { title, description, priceCents, isPublished });
      await recordAudit(tx, {
        ...{ accountId: account.accountId, actor, action: 'listing.update' },
        subject: { type: 'listing', id: params.id },
        changes,
      });
    }
    return recordOf(await readListing(tx, owner), dependencies.picture);
  },
});

type OwnEndpoints = Pick<DashboardEndpoints, 'listOwnListings'>;

export const listingDashboardHandlers = ({
  picture,
}: {
  picture: Picture;
}): Handlers<OwnEndpoints> => ({
  async listOwnListings(db, { account: { accountId }, query }) {
    const { rows, total } = await listOwnListings(db, accountId, query);
    const own = rows.map((listing) => ({
      ...recordOf(listing, picture),
      published: listing.isPublished,
    }));
    return { rows: own, total };
  },
});

const createListing = (dependencies: ListingDependencies): AskFirst<Endpoints['createListing']> => {
  const makeTemplate = createTemplateMaker(dependencies);
  return {
    async askFirst(_, { account, body }) {
      const create = await prepareListing(makeTemplate, account, body);
      return async (tx, { actor }) => {
        const owner = await create(tx, actor);
        return recordOf(await readListing(tx, owner), dependencies.picture);
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

const recordOf = (listing: ShownListing, picture: Picture) => {
  const { sellerId: id, sellerName: username, sellerAvatarUrl, ...shown } = listing;
  return {
    ...shown,
    deliveryType: deliveryTypeOf(listing.category),
    seller: { id, username, avatar: picture('avatar', sellerAvatarUrl) },
  };
};

import { accountLimits, type newListing } from '@holdfast/contract';
import type { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import type { Account, Actor } from '../../../http/handler.ts';
import { forbidden } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { lockAccount } from '../../accounts/queries.ts';
import { recordAudit } from '../../audit/queries.ts';
import { countOwnListings, insertListing } from '../queries/listings.ts';
import { assignTemplate } from '../queries/templates.ts';
import type { MakeTemplate } from '../templates/make-template.ts';
import { useListingPicture } from './listing-picture.ts';

type ListingRequest = z.output<typeof newListing>;

/** Makes the template, if one is sold; the returned function stores the listing. */
export const prepareListing = async (
  makeTemplate: MakeTemplate,
  { accountId, limits }: Account,
  request: ListingRequest,
) => {
  const { backupId = null, published: isPublished, imageUploadId, ...shown } = request;
  const { maxStorageBytes } = limits;
  const template =
    backupId === null ? undefined : await makeTemplate({ accountId, backupId, maxStorageBytes });

  return async (tx: Transaction, actor: Actor) => {
    if (template && 'refusal' in template) throw template.refusal;
    await requireListingQuota(tx, accountId);
    const id = newId();
    await insertListing(tx, { id, sellerId: accountId, ...shown, backupId, isPublished });
    if (template && !(await assignTemplate(tx, template, id))) {
      throw new Error('The template is gone');
    }
    if (imageUploadId) await useListingPicture(tx, { id, sellerId: accountId }, imageUploadId);
    const { title, category, priceCents, currency } = shown;
    await recordAudit(tx, {
      ...{ accountId, actor, action: 'listing.create' },
      subject: { type: 'listing', id },
      changes: {
        ...{ title, category, priceCents, currency, isPublished },
        ...(imageUploadId && { imageUploadId }),
        ...(template && { backupId, manifest: template.manifest }),
      },
    });
    return { id, sellerId: accountId };
  };
};

const requireListingQuota = async (tx: Transaction, sellerId: string): Promise<void> => {
  await lockAccount(tx, sellerId);
  const most = accountLimits.listings;
  if ((await countOwnListings(tx, sellerId)) >= most) {
    throw forbidden(`An account has at most ${most} listings, unpublished ones included`);
  }
};

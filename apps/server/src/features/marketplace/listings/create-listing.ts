import { accountBounds, type newListing } from '@holdfast/contract';
import type { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import type { Account, Actor } from '../../../http/handler.ts';
import { planRefuses } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudit } from '../../audit/queries.ts';
import { lockUser } from '../../accounts/queries.ts';
import type { MakeTemplate } from '../template/make-template.ts';
import { giveToListing } from '../template/queries.ts';
import { countOwnListings, insertListing } from './queries.ts';

type Wish = z.output<typeof newListing>;

/** Makes what is to be sold; the listing itself follows in the transaction. */
export const prepareListing = async (
  makeTemplate: MakeTemplate,
  { accountId, limits }: Account,
  wish: Wish,
) => {
  const { backupId = null, published: isPublished, ...shown } = wish;
  const { maxStorageBytes } = limits;
  const template =
    backupId === null ? undefined : await makeTemplate({ accountId, backupId, maxStorageBytes });

  return async (tx: Transaction, actor: Actor) => {
    if (template && 'refusal' in template) throw template.refusal;
    await requireRoomForListing(tx, accountId);
    const id = newId();
    await insertListing(tx, { id, sellerId: accountId, ...shown, backupId, isPublished });
    if (template && !(await giveToListing(tx, template, id))) {
      throw new Error('The template is gone');
    }
    const { title, category, priceCents, currency } = shown;
    await recordAudit(tx, {
      ...{ accountId, actor, action: 'listing.create' },
      subject: { type: 'listing', id },
      changes: {
        ...{ title, category, priceCents, currency, isPublished },
        ...(template && { backupId, manifest: template.manifest }),
      },
    });
    return { id, sellerId: accountId };
  };
};

const requireRoomForListing = async (tx: Transaction, sellerId: string): Promise<void> => {
  await lockUser(tx, sellerId);
  const most = accountBounds.listings;
  if ((await countOwnListings(tx, sellerId)) >= most) {
    throw planRefuses(`An account has at most ${most} listings, unpublished ones included`);
  }
};

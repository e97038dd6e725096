import type { Transaction } from '../../../db/connect.ts';
import { invalidField } from '../../../kernel/errors.ts';
import { findPictures, setPicture } from '../../uploads/queries.ts';
import { pictureField } from '../rules.ts';

type Owned = { id: string; sellerId: string };

/** An upload that a listing uses is kept, whether the listing is published or not. */
export const useListingPicture = async (
  tx: Transaction,
  { id, sellerId }: Owned,
  uploadId: string | null,
): Promise<void> => {
  const holder = { accountId: sellerId, holderId: id, field: pictureField };
  if (!(await setPicture(tx, holder, uploadId))) {
    throw invalidField(pictureField, 'There is no such upload');
  }
};

export const findListingPicture = async (
  tx: Transaction,
  { id, sellerId }: Owned,
): Promise<string | null> => {
  const [picture] = await findPictures(tx, { accountId: sellerId, holderId: id });
  return picture?.id ?? null;
};

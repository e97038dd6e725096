import type { BlobAddress } from '../../../integrations/blobs/store.ts';

/** Where the object of a row lies: its id keeps it apart from earlier copies of the same bytes. */
export const addressOf = (blob: { id: string; accountId: string; hash: string }): BlobAddress => ({
  accountId: blob.accountId,
  hash: blob.hash,
  copyId: blob.id,
});

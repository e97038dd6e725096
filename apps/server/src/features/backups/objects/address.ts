import type { BlobAddress } from '../../../outside/blobs/store.ts';

/** Where the object of a row lies: its id keeps it apart from earlier copies of the same bytes. */
export const addressOf = (blob: { id: string; userId: string; hash: string }): BlobAddress => ({
  accountId: blob.userId,
  hash: blob.hash,
  copyId: blob.id,
});

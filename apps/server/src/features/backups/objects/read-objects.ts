import type { Database } from '../../../db/connect.ts';
import { type BlobAddress, BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import { type Blob, findBlob, listBlobsOfBackup } from './queries.ts';

const objectsAtOnce = 8;

/** Where the file of an object is. The row's id keeps it apart from earlier copies of the same bytes. */
export const addressOf = (blob: Blob): BlobAddress => ({
  accountId: blob.accountId,
  hash: blob.hash,
  copyId: blob.id,
});

/** Reads an account's objects; one that is missing or altered throws `BlobBroken`. */
export const createObjectReader =
  (db: Database, blobs: SealedBlobs, accountId: string) =>
  async (hash: string): Promise<Uint8Array> => {
    const blob = await findBlob(db, accountId, hash);
    if (!blob) throw new BlobBroken('missing', { accountId, hash });
    return blobs.read(addressOf(blob));
  };

/** Reads every object of a backup; throws at the first that is missing or altered. */
export const verifyObjects = async (
  db: Database,
  blobs: SealedBlobs,
  owner: { accountId: string; backupId: string },
  signal: AbortSignal,
): Promise<void> => {
  const referred = await listBlobsOfBackup(db, owner);
  await inParallel(objectsAtOnce, referred, async (blob) => {
    signal.throwIfAborted();
    await blobs.verify(addressOf(blob));
  });
};

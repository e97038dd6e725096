import type { Database } from '../../../db/connect.ts';
import { inParallel } from '../../../kernel/in-parallel.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-broken.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { addressOf } from './address.ts';
import { findBlob, listBlobsOfBackup } from './queries.ts';

const objectsAtOnce = 8;

/** Reads an account's objects; what is not as it was written throws `BlobBroken`. */
export const createObjectReader =
  (db: Database, blobs: SealedBlobs, accountId: string) =>
  async (hash: string): Promise<Uint8Array> => {
    const blob = await findBlob(db, accountId, hash);
    if (!blob) throw new BlobBroken('missing', { accountId, hash });
    return blobs.read(addressOf(blob));
  };

/** Reads everything a backup refers to; throws at the first object that is not as it was written. */
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

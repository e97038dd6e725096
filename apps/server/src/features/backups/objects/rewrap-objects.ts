import type { Database } from '../../../db/connect.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { listObjectsToRewrap, markBlobStored } from './queries.ts';
import { addressOf } from './read-objects.ts';

const objectsAtATime = 100;

/** Seals every object under the ring's first key; an object that does not open stays as it is. */
export const rewrapObjects = async (
  db: Database,
  ring: KeyRing,
  blobs: SealedBlobs,
  { signal, onBroken }: { signal: AbortSignal; onBroken(error: BlobBroken): void },
): Promise<number> => {
  let rewrapped = 0;
  for (let after: string | undefined; ; ) {
    const page = { after, most: objectsAtATime };
    const objects = await listObjectsToRewrap(db, ring.sealingKeyId, page);
    for (const blob of objects) {
      signal.throwIfAborted();
      try {
        await markBlobStored(db, blob, await blobs.reseal(addressOf(blob)));
        rewrapped++;
      } catch (error) {
        if (!(error instanceof BlobBroken)) throw error;
        onBroken(error);
      }
    }
    const last = objects.at(-1);
    if (!last) return rewrapped;
    after = last.id;
  }
};

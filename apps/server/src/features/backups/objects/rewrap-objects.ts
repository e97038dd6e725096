import type { Database } from '../../../db/connect.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-broken.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { addressOf } from './address.ts';
import { listObjectsSealedElsewhere, markBlobStored } from './queries.ts';

const objectsAtATime = 100;
const beforeAllIds = '00000000-0000-0000-0000-000000000000';

/** Seals every object under the ring's first key; what does not open stays as it is. */
export const rewrapObjects = async (
  db: Database,
  ring: KeyRing,
  blobs: SealedBlobs,
  { signal, onBroken }: { signal: AbortSignal; onBroken(error: BlobBroken): void },
): Promise<number> => {
  let rewrapped = 0;
  for (let after = beforeAllIds; ; ) {
    const some = await listObjectsSealedElsewhere(db, ring.sealingKeyId, {
      after,
      most: objectsAtATime,
    });
    for (const blob of some) {
      signal.throwIfAborted();
      try {
        await markBlobStored(db, blob, await blobs.reseal(addressOf(blob)));
        rewrapped++;
      } catch (error) {
        if (!(error instanceof BlobBroken)) throw error;
        onBroken(error);
      }
    }
    const last = some.at(-1);
    if (!last) return rewrapped;
    after = last.id;
  }
};

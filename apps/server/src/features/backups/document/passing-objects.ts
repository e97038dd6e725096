import { z } from 'zod';
import type { Database } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Job, ofAccount } from '../../../queue/job.ts';
import type { Lease } from '../../../queue/lease/lease.ts';
import type { Queue } from '../../../queue/queue.ts';
import { releaseStorage } from '../objects/jobs.ts';
import { releaseHolds } from '../objects/queries.ts';
import { createObjectSaver } from '../objects/save-objects.ts';

/** Objects that wait for the import that uses them, and are released when none has come. */

const keptSeconds = 24 * 60 * 60;

type Dependencies = { db: Database; blobs: SealedBlobs; queue: Pick<Queue, 'enqueue'> };
type Owner = { accountId: string; limitBytes: number };

export const releasePassing = {
  name: 'backups.releasePassing',
  payload: z.object({ accountId: z.guid(), holderId: z.guid() }),
  groupOf: ofAccount,
};

type Passing = z.output<typeof releasePassing.payload>;

export const releasePassingJob = (dependencies: Dependencies): Job<Passing> => ({
  ...releasePassing,
  run: (passing) => release(dependencies, passing),
});

export const release = (
  { db, queue }: Pick<Dependencies, 'db' | 'queue'>,
  { accountId, holderId }: Passing,
): Promise<void> =>
  db.transaction(async (tx) => {
    await releaseHolds(tx, holderId);
    await queue.enqueue(tx, releaseStorage, { accountId });
  });

/** A request has no lease. */
const unleased: Pick<Lease, 'transaction'> = { transaction: (db, work) => db.transaction(work) };

/** Its release is enqueued first, so that a crash leaves nothing behind. */
export const storePassing = async (
  { db, blobs, queue }: Dependencies,
  { accountId, limitBytes }: Owner,
  bytes: Uint8Array,
): Promise<{ hash: string; holderId: string }> => {
  const holderId = newId();
  const later = { startAfterSeconds: keptSeconds };
  await db.transaction((tx) => queue.enqueue(tx, releasePassing, { accountId, holderId }, later));
  const holder = { lease: unleased, accountId, holderId, limitBytes };
  return { hash: await createObjectSaver({ db, blobs, ...holder })(bytes), holderId };
};

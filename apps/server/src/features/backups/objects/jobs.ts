import { z } from 'zod';
import type { Database } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Job, ofAccount } from '../../../queue/job.ts';
import { releaseObjects } from './release-objects.ts';
import { sweepStorage } from './sweep/sweep-storage.ts';

type Dependencies = { db: Database; blobs: SealedBlobs; clock: Clock; log: Log };

/** Releases the storage of an account's objects without a reference. */
export const releaseStorage = {
  name: 'backups.release',
  payload: z.object({ accountId: z.guid() }),
  groupOf: ofAccount,
};

export const releaseStorageJob = ({ db, blobs }: Dependencies): Job<{ accountId: string }> => ({
  ...releaseStorage,
  run: ({ accountId }, signal) => releaseObjects(db, blobs, accountId, signal),
});

/** Finds what a crash left behind: objects without a reference, files without an object. */
export const sweepObjects = { name: 'backups.sweep', payload: z.object({}) };

export const sweepObjectsJob = (dependencies: Dependencies): Job => ({
  ...sweepObjects,
  cron: '41 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    const deleted = await sweepStorage(dependencies, signal);
    if (deleted > 0) dependencies.log.info({ deleted }, 'files without a row are deleted');
  },
});

import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { type LeasedJob, ofAccount } from '../../../queue/job.ts';
import type { Queue } from '../../../queue/queue.ts';
import { containRaid, type RaidDependencies } from './contain-raid.ts';
import { reviewWave } from './review-wave.ts';

const ofWave = z.object({ accountId: z.guid(), incidentId: z.guid() });
type OfWave = z.output<typeof ofWave>;
type Enqueues = Pick<Queue, 'enqueue'>;

export const containRaidDefinition = {
  name: 'protection.contain-raid',
  payload: ofWave,
  groupOf: ofAccount,
  concurrency: 32,
};

/** Has invites paused. */
export const containRaidLater = (queue: Enqueues, tx: Transaction, wave: OfWave): Promise<void> =>
  queue.enqueue(tx, containRaidDefinition, wave);

export const containRaidJob = (dependencies: RaidDependencies): LeasedJob<OfWave> => ({
  ...containRaidDefinition,
  subjectOf: ({ incidentId }) => `raid:${incidentId}`,
  run: (wave, signal, lease) => containRaid(dependencies, wave, { signal, lease }),
});

export const reviewWaveDefinition = {
  name: 'protection.review-wave',
  payload: ofWave,
  groupOf: ofAccount,
  concurrency: 32,
};

/** Has what was decided about a wave carried out. */
export const reviewWaveLater = (
  queue: Enqueues,
  tx: Transaction,
  { accountId, incidentId }: OfWave,
): Promise<void> => queue.enqueue(tx, reviewWaveDefinition, { accountId, incidentId });

/** It mostly waits for the bot's own buckets. */
export const reviewWaveJob = (dependencies: RaidDependencies): LeasedJob<OfWave> => ({
  ...reviewWaveDefinition,
  subjectOf: ({ incidentId }) => `review:${incidentId}`,
  givesWay: true,
  run: (wave, signal, lease) => reviewWave(dependencies, wave, { signal, lease }),
});

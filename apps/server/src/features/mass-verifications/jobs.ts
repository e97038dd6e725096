import { z } from 'zod';
import { type LeasedJob, ofAccount } from '../../queue/job.ts';
import { executeMassVerification, type MassVerificationDependencies } from './run/execute.ts';

export const runMassVerification = {
  name: 'mass-verifications.run',
  payload: z.object({ jobId: z.guid(), accountId: z.guid(), botId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 32,
};

/** Like a pull it mostly waits for the bot's own buckets, but holds a page of a thousand members. */
export const runMassVerificationJob = (
  dependencies: MassVerificationDependencies,
): LeasedJob<z.output<typeof runMassVerification.payload>> => ({
  ...runMassVerification,
  subjectOf: ({ jobId }) => `mass-verification:${jobId}`,
  placeOf: ({ botId }) => `bot:${botId}`,
  givesWay: true,
  run: ({ jobId, accountId }, signal, lease) =>
    executeMassVerification(dependencies, { jobId, accountId }, { signal, lease }),
});

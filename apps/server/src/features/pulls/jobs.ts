import { z } from 'zod';
import type { LeasedJob } from '../../queue/job.ts';
import { executePull } from './execute.ts';
import type { PullTools } from './pull-work.ts';

export const runPull = {
  name: 'pulls.run',
  payload: z.object({ pullId: z.guid(), userId: z.guid(), botId: z.guid() }),
};

/** Almost all of it is waiting for the platform's buckets, of which each bot has its own. */
export const runPullJob = (tools: PullTools): LeasedJob<z.output<typeof runPull.payload>> => ({
  ...runPull,
  concurrency: 256,
  groupConcurrency: 64,
  subjectOf: ({ pullId }) => `pull:${pullId}`,
  placeOf: ({ botId }) => `bot:${botId}`,
  run: ({ pullId, userId }, signal, lease) =>
    executePull(tools, { pullId, userId }, { signal, lease }),
});

import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Job, LeasedJob } from '../../queue/job.ts';
import { executePull } from './execute.ts';
import type { PullTools } from './pull-work.ts';
import { forgetCalledMembers } from './purge/queries.ts';

export const runPull = {
  name: 'pulls.run',
  payload: z.object({ pullId: z.guid(), accountId: z.guid(), botId: z.guid() }),
};

/** Almost all of it is waiting for the platform's buckets, of which each bot has its own. */
export const runPullJob = (tools: PullTools): LeasedJob<z.output<typeof runPull.payload>> => ({
  ...runPull,
  concurrency: 256,
  groupConcurrency: 64,
  subjectOf: ({ pullId }) => `pull:${pullId}`,
  placeOf: ({ botId }) => `bot:${botId}`,
  run: ({ pullId, accountId }, signal, lease) =>
    executePull(tools, { pullId, accountId }, { signal, lease }),
});

export const forgetCalled = { name: 'pulls.forget-called', payload: z.object({}) };

/** Long enough to answer what became of whom, and no longer. */
const afterDays = 30;
const membersAtATime = 5000;

export const forgetCalledJob = (db: Database): Job => ({
  ...forgetCalled,
  cron: '17 4 * * *',
  async run(_, signal) {
    while ((await forgetCalledMembers(db, { afterDays, most: membersAtATime })) > 0) {
      signal.throwIfAborted();
    }
  },
});

import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import { deleteInBatches } from '../../db/queries/purge-rows.ts';
import { type Job, type LeasedJob, ofAccount } from '../../queue/job.ts';
import { deleteOldPullMembers } from './queries/purge.ts';
import { executePull } from './run/execute.ts';
import type { PullDependencies } from './run/pull-run.ts';

export const runPull = {
  name: 'pulls.run',
  payload: z.object({ pullId: z.guid(), accountId: z.guid(), botId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 256,
};

/** Nearly all of a pull is waiting for the platform's buckets, of which each bot has its own. */
export const runPullJob = (
  dependencies: PullDependencies,
): LeasedJob<z.output<typeof runPull.payload>> => ({
  ...runPull,
  subjectOf: ({ pullId }) => `pull:${pullId}`,
  placeOf: ({ botId }) => `bot:${botId}`,
  givesWay: true,
  run: ({ pullId, accountId }, signal, lease) =>
    executePull(dependencies, { pullId, accountId }, { signal, lease }),
});

export const expirePullMembers = { name: 'pulls.expire-members', payload: z.object({}) };

/** Long enough to answer what the result of a member was, and no longer. */
const afterDays = 30;
const membersPerBatch = 5000;

export const expirePullMembersJob = ({ db }: { db: Database }): Job => ({
  ...expirePullMembers,
  cron: '17 4 * * *',
  run: (_, signal) =>
    deleteInBatches({ signal }, () =>
      deleteOldPullMembers(db, { afterDays, limit: membersPerBatch }),
    ),
});

import { z } from 'zod';
import type { LeasedJob } from '../../queue/job.ts';
import { type PostDependencies, postPanels } from './post/post-panels.ts';

type Owned = { accountId: string; serverId: string };

/** Posts, edits and removes the messages of one server's panels. */
export const postPanelsOf = {
  name: 'panels.post',
  payload: z.object({ serverId: z.guid(), accountId: z.guid() }),
};

export const postPanelsJob = (dependencies: PostDependencies): LeasedJob<Owned> => ({
  ...postPanelsOf,
  concurrency: 4,
  subjectOf: ({ serverId }) => `panels:${serverId}`,
  run: (server, signal, lease) => postPanels(dependencies, server, { signal, lease }),
});

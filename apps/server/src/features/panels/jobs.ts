import { z } from 'zod';
import { type Job, type LeasedJob, ofAccount } from '../../queue/job.ts';
import { forAllServers, lookAtAllPanels, lookAtPanels } from './post/look-at-panels.ts';
import { type PostDependencies, postPanels } from './post/post-panels.ts';
import { type RemovedMessages, removedMessages, removeMessages } from './post/remove-messages.ts';
import { listAllWithDuePanels } from './queries/guild.ts';

const owned = z.object({ serverId: z.guid(), accountId: z.guid() });
type Owned = z.output<typeof owned>;

/** Posts, edits and removes the messages of one server's panels. */
export const postPanelsOf = {
  name: 'panels.post',
  payload: owned,
  groupOf: ofAccount,
  concurrency: 16,
};

export const postPanelsJob = (dependencies: PostDependencies): LeasedJob<Owned> => ({
  ...postPanelsOf,
  subjectOf: ({ serverId }) => `panels:${serverId}`,
  patienceMs: 1000,
  run: (server, signal, lease) => postPanels(dependencies, server, { signal, lease }),
});

/** A channel may have several messages: who is put off after some of them begins anew. */
const severalCallsMs = 15_000;

/** Looks whether the messages of one server's panels are still there. */
export const lookAtPanelsOf = {
  name: 'panels.look',
  payload: owned,
  groupOf: ofAccount,
  concurrency: 8,
};

export const lookAtPanelsJob = (dependencies: PostDependencies): Job<Owned> => ({
  ...lookAtPanelsOf,
  patienceMs: severalCallsMs,
  run: (server, signal) => lookAtPanels(dependencies, server, signal),
});

/** Does so for all servers, where nothing was reported of a message that somebody deleted. */
export const lookAtAll = { name: 'panels.look-at-all', payload: z.object({}) };

export const lookAtAllJob = ({ db, queue }: PostDependencies): Job => ({
  ...lookAtAll,
  cron: '41 4 * * *',
  run: (_, signal) =>
    lookAtAllPanels(db, signal, (tx, server, startAfterSeconds) =>
      queue.enqueue(tx, lookAtPanelsOf, server, { startAfterSeconds }),
    ),
});

/** Posts what is due and was given up: a job is repeated for about an hour. */
export const postDuePanels = { name: 'panels.post-due', payload: z.object({}) };

export const postDuePanelsJob = ({ db, queue }: PostDependencies): Job => ({
  ...postDuePanels,
  cron: '33 * * * *',
  run: (_, signal) =>
    forAllServers(db, signal, listAllWithDuePanels, (tx, server) =>
      queue.enqueue(tx, postPanelsOf, server),
    ),
});

/** Removes the messages of a server that was deleted, whose rows may be gone already. */
export const removeMessagesOf = {
  name: 'panels.remove',
  payload: removedMessages,
  groupOf: ofAccount,
  concurrency: 8,
};

export const removeMessagesJob = (dependencies: PostDependencies): Job<RemovedMessages> => ({
  ...removeMessagesOf,
  patienceMs: severalCallsMs,
  run: (payload, signal) => removeMessages(dependencies, payload, signal),
});

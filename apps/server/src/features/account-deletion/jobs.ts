import type { Database } from '../../db/connect.ts';
import type { Job } from '../../queue/job.ts';
import { isQueuedFor } from '../../queue/queries.ts';
import { eraseAuditContents } from '../audit/erase-contents.ts';
import { freeAccount } from '../backups/free-account.ts';
import { releaseHolds } from '../backups/objects/queries.ts';
import { purgeServer } from '../servers/jobs.ts';
import { isDeletedAccount } from '../users/queries.ts';
import { type ForgetTools, forgetTokens } from '../vault/forget.ts';
import { revokeTokens } from '../vault/jobs.ts';
import {
  deleteTemplates,
  eraseContents,
  eraseRest,
  hasRemains,
  listServersLeft,
  listSomeTokenOwners,
} from './erase/queries.ts';
import { finishAccount, purgeAccount } from './job-names.ts';

type Tools = ForgetTools & { db: Database };

const tokensAtATime = 200;

/**
 * Tokens are revoked before their members go: the purge of a server forgets tokens without a word to the
 * platform. Each step can be done twice, so a worker that takes over just begins again.
 */
export const purgeAccountJob = (tools: Tools): Job<{ userId: string }> => ({
  ...purgeAccount,
  async run({ userId }, signal) {
    const { db, queue } = tools;
    if (!(await isDeletedAccount(db, userId))) return;
    await revokeAllTokens(tools, userId, signal);
    for (const { id: serverId } of await listServersLeft(db, userId)) {
      signal.throwIfAborted();
      await db.transaction((tx) => queue.enqueue(tx, purgeServer, { serverId }));
    }
    await db.transaction((tx) => eraseContents(tx, userId));
    await dropTemplates(tools, userId);
    await eraseAuditContents(db, userId, signal);
    signal.throwIfAborted();
    await db.transaction((tx) => queue.enqueue(tx, finishAccount, { userId, attempt: 0 }));
  },
});

const revokeAllTokens = async (tools: Tools, userId: string, signal: AbortSignal) => {
  for (;;) {
    const owners = await listSomeTokenOwners(tools.db, userId, tokensAtATime);
    if (owners.length === 0) return;
    for (const owner of owners) {
      signal.throwIfAborted();
      await tools.db.transaction((tx) => forgetTokens(tx, tools, { userId, ...owner }));
    }
  }
};

const dropTemplates = ({ db, queue }: Tools, userId: string): Promise<void> =>
  db.transaction(async (tx) => {
    for (const { id } of await deleteTemplates(tx, userId)) await releaseHolds(tx, id);
    await queue.enqueue(tx, freeAccount, { userId });
  });

const longestPauseSeconds = 300;

/** Looks again, ever later, until the purge of servers, objects and tokens is through. */
export const finishAccountJob = ({
  db,
  queue,
}: Tools): Job<{ userId: string; attempt: number }> => ({
  ...finishAccount,
  async run({ userId, attempt }, signal) {
    if (!(await isDeletedAccount(db, userId))) return;
    const isBusy =
      (await hasRemains(db, userId)) || (await isQueuedFor(db, revokeTokens.name, userId));
    if (isBusy) {
      const startAfterSeconds = Math.min(longestPauseSeconds, 2 ** attempt);
      const again = { userId, attempt: attempt + 1 };
      await db.transaction((tx) => queue.enqueue(tx, finishAccount, again, { startAfterSeconds }));
      return;
    }
    // Jobs of the account have told of their ends meanwhile.
    await eraseAuditContents(db, userId, signal);
    await db.transaction((tx) => eraseRest(tx, userId));
  },
});

import type { Database } from '../../db/connect.ts';
import type { Job } from '../../queue/job.ts';
import { isQueuedFor } from '../../queue/queries.ts';
import { eraseAuditContents } from '../audit/erase-contents.ts';
import { freeAccount } from '../backups/free-account.ts';
import { releaseHolds } from '../backups/objects/queries.ts';
import { purgeServer } from '../servers/jobs.ts';
import { isDeletedAccount } from '../accounts/queries.ts';
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
export const purgeAccountJob = (tools: Tools): Job<{ accountId: string }> => ({
  ...purgeAccount,
  async run({ accountId }, signal) {
    const { db, queue } = tools;
    if (!(await isDeletedAccount(db, accountId))) return;
    await revokeAllTokens(tools, accountId, signal);
    for (const { id: serverId } of await listServersLeft(db, accountId)) {
      signal.throwIfAborted();
      await db.transaction((tx) => queue.enqueue(tx, purgeServer, { serverId }));
    }
    await db.transaction((tx) => eraseContents(tx, accountId));
    await dropTemplates(tools, accountId);
    await eraseAuditContents(db, accountId, signal);
    signal.throwIfAborted();
    await db.transaction((tx) => queue.enqueue(tx, finishAccount, { accountId, attempt: 0 }));
  },
});

const revokeAllTokens = async (tools: Tools, accountId: string, signal: AbortSignal) => {
  for (;;) {
    const owners = await listSomeTokenOwners(tools.db, accountId, tokensAtATime);
    if (owners.length === 0) return;
    for (const owner of owners) {
      signal.throwIfAborted();
      await tools.db.transaction((tx) => forgetTokens(tx, tools, { accountId, ...owner }));
    }
  }
};

const dropTemplates = ({ db, queue }: Tools, accountId: string): Promise<void> =>
  db.transaction(async (tx) => {
    for (const { id } of await deleteTemplates(tx, accountId)) await releaseHolds(tx, id);
    await queue.enqueue(tx, freeAccount, { accountId });
  });

const longestPauseSeconds = 300;

/** Looks again, ever later, until the purge of servers, objects and tokens is through. */
export const finishAccountJob = ({
  db,
  queue,
}: Tools): Job<{ accountId: string; attempt: number }> => ({
  ...finishAccount,
  async run({ accountId, attempt }, signal) {
    if (!(await isDeletedAccount(db, accountId))) return;
    const isBusy =
      (await hasRemains(db, accountId)) || (await isQueuedFor(db, revokeTokens.name, accountId));
    if (isBusy) {
      const startAfterSeconds = Math.min(longestPauseSeconds, 2 ** attempt);
      const again = { accountId, attempt: attempt + 1 };
      await db.transaction((tx) => queue.enqueue(tx, finishAccount, again, { startAfterSeconds }));
      return;
    }
    // Jobs of the account have told of their ends meanwhile.
    await eraseAuditContents(db, accountId, signal);
    await db.transaction((tx) => eraseRest(tx, accountId));
  },
});

import type { Database } from '../../db/connect.ts';
import type { Job } from '../../queue/job.ts';
import { purgeServer } from '../servers/jobs.ts';
import { markServerDeleted } from '../servers/queries.ts';
import { type ForgetTools, forgetTokens } from '../vault/forget.ts';
import { finishAccount, purgeAccount } from './job-names.ts';
import {
  blankAudit,
  countServersLeft,
  eraseRest,
  isDeletedAccount,
  listServersToPurge,
  listSomeTokenOwners,
} from './queries.ts';

type Tools = ForgetTools & { db: Database };

const tokensAtATime = 200;
/** Revocations that the platform did not take at once are tried again for as long. */
const finishAfterSeconds = 2 * 60 * 60;

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
    for (const { id: serverId } of await listServersToPurge(db, userId)) {
      signal.throwIfAborted();
      await db.transaction(async (tx) => {
        if (await markServerDeleted(tx, { userId, serverId })) {
          await queue.enqueue(tx, purgeServer, { serverId });
        }
      });
    }
    await blankAudit(db, userId);
    await db.transaction((tx) =>
      queue.enqueue(tx, finishAccount, { userId }, { startAfterSeconds: finishAfterSeconds }),
    );
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

export const finishAccountJob = ({ db, queue }: Tools): Job<{ userId: string }> => ({
  ...finishAccount,
  async run({ userId }) {
    if (!(await isDeletedAccount(db, userId))) return;
    if ((await countServersLeft(db, userId)) > 0) {
      return db.transaction((tx) =>
        queue.enqueue(tx, finishAccount, { userId }, { startAfterSeconds: finishAfterSeconds }),
      );
    }
    await db.transaction((tx) => eraseRest(tx, userId));
  },
});

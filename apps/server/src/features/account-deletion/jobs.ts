import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import { type Job, ofAccount } from '../../queue/job.ts';
import { isQueuedFor } from '../../queue/queries.ts';
import { deleteHashKey } from '../accounts/hash-key/queries.ts';
import { isDeletedAccount } from '../accounts/queries.ts';
import { deleteAlertsOfAccount } from '../alerts/queries/alerts.ts';
import { eraseAuditContents } from '../audit/chain/queries.ts';
import { deleteErasuresAndUsage } from '../backups/erasure/queries.ts';
import { releaseStorage } from '../backups/objects/jobs.ts';
import { releaseHolds } from '../backups/objects/queries.ts';
import { eraseBillingLinks } from '../billing/queries/customers.ts';
import { deleteBlacklistOfAccount } from '../blacklist/queries.ts';
import { deleteBotsOfAccount } from '../bots/queries.ts';
import { eraseListings } from '../marketplace/queries/listings.ts';
import { deleteTemplates } from '../marketplace/queries/templates.ts';
import { removeMessagesOf } from '../panels/jobs.ts';
import { purgeServer } from '../servers/jobs.ts';
import { deleteFactor } from '../sessions/second-factor/queries.ts';
import { deleteUploadsOfAccount } from '../uploads/queries.ts';
import { revokeTokens } from '../vault/jobs.ts';
import { type DeleteTokensDependencies, deleteAndRevokeTokens } from '../vault/tokens/delete.ts';
import { hasRemainingData, listRemainingServers, listTokenOwners } from './queries.ts';

type PurgeAccountDependencies = DeleteTokensDependencies & { db: Database };

/** Erases what a deleted account held. */
export const purgeAccount = {
  name: 'account.purge',
  payload: z.object({ accountId: z.guid() }),
  groupOf: ofAccount,
};

/** Erases the rest, once nothing needs the account's bots and hash key any more. */
export const finishAccount = {
  name: 'account.finish',
  payload: z.object({ accountId: z.guid(), attempt: z.int().min(0) }),
  groupOf: ofAccount,
};

const tokenBatchSize = 200;

/**
 * Tokens are revoked before their servers are purged, because that purge deletes tokens without revoking
 * them. Each step can be repeated, so a worker that takes over begins again.
 */
export const purgeAccountJob = (
  dependencies: PurgeAccountDependencies,
): Job<z.output<typeof purgeAccount.payload>> => ({
  ...purgeAccount,
  async run({ accountId }, signal) {
    const { db, queue } = dependencies;
    if (!(await isDeletedAccount(db, accountId))) return;
    await revokeAllTokens(dependencies, accountId, signal);
    for (const { id: serverId } of await listRemainingServers(db, accountId)) {
      signal.throwIfAborted();
      await db.transaction((tx) => queue.enqueue(tx, purgeServer, { serverId, accountId }));
    }
    await db.transaction(async (tx) => {
      await deleteAlertsOfAccount(tx, accountId);
      await deleteBlacklistOfAccount(tx, accountId);
      await deleteFactor(tx, accountId);
      await eraseListings(tx, accountId);
      await eraseBillingLinks(tx, accountId);
    });
    await db.transaction(async (tx) => {
      for (const { id } of await deleteTemplates(tx, accountId)) await releaseHolds(tx, id);
      for (const { id } of await deleteUploadsOfAccount(tx, accountId)) await releaseHolds(tx, id);
      await queue.enqueue(tx, releaseStorage, { accountId });
    });
    await eraseAuditContents(db, accountId, signal);
    signal.throwIfAborted();
    await db.transaction((tx) => queue.enqueue(tx, finishAccount, { accountId, attempt: 0 }));
  },
});

const revokeAllTokens = async (
  dependencies: PurgeAccountDependencies,
  accountId: string,
  signal: AbortSignal,
): Promise<void> => {
  const { db } = dependencies;
  for (;;) {
    const owners = await listTokenOwners(db, accountId, tokenBatchSize);
    if (owners.length === 0) return;
    for (const owner of owners) {
      signal.throwIfAborted();
      await db.transaction((tx) =>
        deleteAndRevokeTokens(tx, dependencies, { accountId, ...owner }),
      );
    }
  }
};

const maxPauseSeconds = 300;

/** Enqueues itself again, with growing pauses, until servers, objects and tokens are purged. */
export const finishAccountJob = ({
  db,
  queue,
}: PurgeAccountDependencies): Job<z.output<typeof finishAccount.payload>> => ({
  ...finishAccount,
  async run({ accountId, attempt }, signal) {
    if (!(await isDeletedAccount(db, accountId))) return;
    const isBusy =
      (await hasRemainingData(db, accountId)) ||
      (await isQueuedFor(db, revokeTokens.name, accountId)) ||
      (await isQueuedFor(db, removeMessagesOf.name, accountId));
    if (isBusy) {
      const startAfterSeconds = Math.min(maxPauseSeconds, 2 ** attempt);
      const again = { accountId, attempt: attempt + 1 };
      await db.transaction((tx) => queue.enqueue(tx, finishAccount, again, { startAfterSeconds }));
      return;
    }
    // Jobs of the account have written entries meanwhile.
    await eraseAuditContents(db, accountId, signal);
    await db.transaction(async (tx) => {
      await deleteAlertsOfAccount(tx, accountId);
      await deleteBotsOfAccount(tx, accountId);
      await deleteErasuresAndUsage(tx, accountId);
      await deleteHashKey(tx, accountId);
    });
  },
});

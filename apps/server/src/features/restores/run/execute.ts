import { isDatabaseFailure } from '../../../db/failures.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import { readBotMember } from '../../../platform/permissions.ts';
import type { BotPlatform } from '../../../platform/port.ts';
import type { Lease } from '../../../queue/lease/lease.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { readErased } from '../../backups/erasure/erasures.ts';
import { redactAccount } from '../../backups/erasure/jobs.ts';
import { createObjectReader } from '../../backups/objects/read-objects.ts';
import { findBackup, savedAtOf, updateBackup } from '../../backups/queries.ts';
import { useBot } from '../../bots/use/use-bot.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { pruneRestoredIds } from '../../servers/restored-ids/queries.ts';
import { postMessages, releaseWebhooks } from '../messages/post-messages.ts';
import {
  beginRestore,
  endRestore,
  findActiveRestore,
  type RestoreEnd,
  type RestoreOwner,
} from '../queries/restores.ts';
import { prepare } from './prepare.ts';
import {
  type ActiveRestore,
  type RestoreDependencies,
  RestoreRefused,
  type RestoreRun,
  RestoreStopped,
  readSourceSnapshot,
  requireNotStopped,
} from './restore-run.ts';
import { runSteps } from './run-steps.ts';
import { verifyResult } from './verify-result.ts';

type WorkerRun = { signal: AbortSignal; lease: Lease };

/** Restores, from the beginning or from where an earlier worker stopped. */
export const executeRestore = async (
  dependencies: RestoreDependencies,
  owner: RestoreOwner,
  run: WorkerRun,
): Promise<void> => {
  await beginRestore(dependencies.db, owner);
  const restore = await findActiveRestore(dependencies.db, owner);
  if (!restore) return;
  try {
    await end(dependencies, restore, run, await runRestore(dependencies, restore, run));
  } catch (error) {
    run.signal.throwIfAborted();
    if (isDatabaseFailure(error)) throw error;
    if (error instanceof RestoreStopped) await releaseLeftWebhooks(dependencies, restore, run);
    await end(dependencies, restore, run, endAfter(dependencies, owner, error), error);
  }
};

const runRestore = async (
  dependencies: RestoreDependencies,
  restore: ActiveRestore,
  run: WorkerRun,
): Promise<RestoreEnd> => {
  const { accountId, serverId } = restore;
  await requireNotStopped(dependencies.db, { accountId, restoreId: restore.id });
  const server = await findGuildOfServer(dependencies.db, { accountId, serverId });
  if (!server) throw new RestoreStopped('gone');
  const { guildId, botId } = server;
  return useBot(dependencies, { botId, accountId }, async (bot) => {
    const restoreRun = createRun(dependencies, restore, { bot, guildId, ...run });
    const plan = restore.plan ?? (await prepare(restoreRun));
    const idMap = await runSteps(restoreRun, plan);
    const ending = await verifyResult(restoreRun, plan, idMap);
    return withMissing(ending, await postMessages(restoreRun, idMap));
  });
};

/** Posting comes last, so that it never holds up the rest. */
const withMissing = (ending: RestoreEnd, missing: string[]): RestoreEnd =>
  missing.length === 0
    ? ending
    : { ...ending, status: 'partial', warnings: [...(ending.warnings ?? []), ...missing] };

const createRun = (
  dependencies: RestoreDependencies,
  restore: ActiveRestore,
  { bot, guildId, signal, lease }: WorkerRun & { bot: BotPlatform; guildId: string },
): RestoreRun => {
  const { db, blobs, ring } = dependencies;
  const { accountId, components } = restore;
  const readObject = createObjectReader(db, blobs, accountId);
  const requireBackup = async () => {
    const backup = await findBackup(db, { accountId, backupId: restore.backupId });
    if (!backup?.checksum) throw new RestoreStopped('gone');
    return { kind: backup.kind, checksum: backup.checksum, savedAt: savedAtOf(backup) };
  };
  return {
    ...{
      dependencies,
      restore,
      owner: { accountId, restoreId: restore.id },
      signal,
      lease,
      guildId,
    },
    guild: bot.guild(guildId, { signal }),
    conversation: bot.conversation(guildId, { signal }),
    readBotMember: () => readBotMember(bot, guildId, { signal }),
    async readErased() {
      const { savedAt } = await requireBackup();
      return readErased(db, ring, { accountId, savedAt });
    },
    async readSnapshot() {
      const source = { accountId, components, ...(await requireBackup()) };
      return readSourceSnapshot(dependencies, source);
    },
    async readConversation() {
      const { checksum } = await requireBackup();
      return { read: readObject, checksum, components };
    },
    async loadImage({ hash, contentType }) {
      return { contentType, bytes: new Uint8Array(await readObject(hash)) };
    },
  };
};

/** A worker before this one may have been killed while it posted. */
const releaseLeftWebhooks = async (
  dependencies: RestoreDependencies,
  restore: ActiveRestore,
  run: WorkerRun,
): Promise<void> => {
  const { accountId, serverId, id: restoreId } = restore;
  const server = await findGuildOfServer(dependencies.db, { accountId, serverId });
  if (!server) return;
  const { guildId, botId } = server;
  await useBot(dependencies, { botId, accountId }, (bot) =>
    releaseWebhooks(createRun(dependencies, restore, { bot, guildId, ...run })),
  ).catch((err: unknown) => {
    dependencies.log.warn({ err, accountId, restoreId }, 'webhooks of a restore may be left');
  });
};

const endAfter = (
  { log }: RestoreDependencies,
  owner: RestoreOwner,
  error: unknown,
): RestoreEnd => {
  if (error instanceof RestoreStopped) return { status: 'cancelled' };
  log.warn({ err: error, ...owner }, 'a restore failed');
  const message = error instanceof RestoreRefused ? error.message : failureMessage(error);
  return { status: 'failed', error: message };
};

const end = (
  { db, queue, clock }: RestoreDependencies,
  { id: restoreId, accountId, backupId, serverId }: ActiveRestore,
  { lease }: WorkerRun,
  ending: RestoreEnd,
  failure?: unknown,
) =>
  db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    if (!(await endRestore(tx, { accountId, restoreId }, ending))) return;
    if (failure instanceof BlobBroken) {
      const losses = [failureMessage(failure)];
      const broken = { restorable: false, losses, provedAt: clock.now() };
      await updateBackup(tx, { accountId, backupId }, broken);
    }
    await pruneRestoredIds(tx, { accountId, serverId });
    // People who were erased meanwhile are taken out of the backup and the journal now.
    await queue.enqueue(tx, redactAccount, { accountId });
    await recordAudit(tx, {
      accountId,
      actor: systemActor,
      action: 'restore.end',
      subject: { type: 'restore', id: restoreId },
      changes: { status: ending.status, error: ending.error ?? null },
    });
  });

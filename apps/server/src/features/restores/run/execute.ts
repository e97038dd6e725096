import type { Transaction } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { readBotMember } from '../../../platform/permissions.ts';
import type { BotPlatform } from '../../../platform/port.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { readErased } from '../../backups/erasure/erasures.ts';
import { redactAccount } from '../../backups/erasure/jobs.ts';
import { createObjectReader } from '../../backups/objects/read-objects.ts';
import { findBackup, savedAtOf } from '../../backups/queries.ts';
import { useBot } from '../../bots/use/use-bot.ts';
import { repostPanels } from '../../panels/post/follow-guild.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import { judgeRoles } from '../../servers/power/judge-roles.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { pruneRestoredIds } from '../../servers/restored-ids/queries.ts';
import { postMessages, releaseWebhooks } from '../messages/post-messages.ts';
import {
  beginRestore,
  endRestore,
  findActiveRestore,
  findWaitLeftMs,
  type RestoreEnd,
  type RestoreOwner,
  suspendRestore,
} from '../queries/restores.ts';
import { recordTestResult } from '../verify/record-test-result.ts';
import { followPointers } from './follow-pointers.ts';
import { prepare } from './prepare.ts';
import {
  type ActiveRestore,
  type RestoreDependencies,
  RestoreRefused,
  type RestoreRun,
  RestoreStopped,
  RestoreSuspended,
  readSourceSnapshot,
  requireNotStopped,
} from './restore-run.ts';
import { runSteps } from './run-steps.ts';
import { verifyResult } from './verify-result.ts';

type WorkerRun = LeasedRun & {
  /** Queues this restore again, in the caller's transaction. */
  runAgain(tx: Transaction, options: { startAfterSeconds: number }): Promise<void>;
};

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
    const leftMs = await findWaitLeftMs(dependencies.db, owner);
    if (leftMs > 0) return await goOnWaiting(dependencies, owner, run, leftMs);
    await end(dependencies, restore, run, await workOn(dependencies, restore, run));
  } catch (error) {
    run.signal.throwIfAborted();
    if (isDatabaseFailure(error)) throw error;
    if (error instanceof RestoreSuspended) return suspend(dependencies, owner, run, error);
    if (error instanceof RestoreStopped) await releaseLeftWebhooks(dependencies, restore, run);
    await end(dependencies, restore, run, endAfter(dependencies, owner, error), error);
  }
};

/** While it waits it is looked at so often, because one of its servers may be deleted. */
const longestSleepMs = 15 * 60 * 1000;

const runAgainIn = (tx: Transaction, { runAgain }: WorkerRun, ms: number): Promise<void> =>
  runAgain(tx, { startAfterSeconds: Math.ceil(Math.min(ms, longestSleepMs) / 1000) });

/** The worker lets it go: a job of that time goes on with it, on any worker. */
const suspend = async (
  dependencies: RestoreDependencies,
  owner: RestoreOwner,
  run: WorkerRun,
  { resumesInMs }: RestoreSuspended,
): Promise<void> => {
  dependencies.log.info({ ...owner, resumesInMs }, 'a restore waits for a quota of the platform');
  await run.lease.transaction(dependencies.db, async (tx) => {
    await suspendRestore(tx, owner, resumesInMs);
    await runAgainIn(tx, run, resumesInMs);
  });
};

const goOnWaiting = async (
  dependencies: RestoreDependencies,
  owner: RestoreOwner,
  run: WorkerRun,
  leftMs: number,
): Promise<void> => {
  await requireNotStopped(dependencies.db, owner);
  await run.lease.transaction(dependencies.db, (tx) => runAgainIn(tx, run, leftMs));
};

const workOn = async (
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
    if (restore.plan?.guildId && restore.plan.guildId !== guildId) {
      throw new RestoreRefused('The server was moved to another guild meanwhile: stopped');
    }
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
  { bot, guildId, signal, lease }: LeasedRun & { bot: BotPlatform; guildId: string },
): RestoreRun => {
  const { db, blobs, ring } = dependencies;
  const { accountId, components } = restore;
  const readObject = createObjectReader(db, blobs, accountId);
  const reason = auditReasons.restore(restore.id);
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
    guild: bot.guild(guildId, { signal, reason }),
    conversation: bot.conversation(guildId, { signal, reason }),
    readBotMember: () => readBotMember(bot, guildId, { signal }),
    judgeRoles: (roles, judging) => judgeRoles(bot, guildId, roles, judging),
    async readErased() {
      const { savedAt } = await requireBackup();
      return readErased(db, ring, { accountId, savedAt });
    },
    async readSnapshot(besides = []) {
      const backup = await requireBackup();
      const source = { accountId, components: [...components, ...besides], ...backup };
      return readSourceSnapshot(dependencies, source);
    },
    async readConversation() {
      const { checksum } = await requireBackup();
      return { read: readObject, checksum, components };
    },
    findHeld: (platformId) =>
      dependencies.findHeldBack(db, {
        ...{ accountId, serverId: restore.serverId },
        ...(platformId !== undefined && { platformId }),
      }),
    async loadImage({ hash, contentType }) {
      return { contentType, bytes: new Uint8Array(await readObject(hash)) };
    },
    async hashImage(image) {
      const read = dependencies.platform.readImage(image, signal);
      const found = await read.catch((error: unknown) => {
        if (error instanceof PlatformFailure) return undefined;
        throw error;
      });
      return found && blobs.hashOf(found.bytes);
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
  { db, queue, clock, assessHealth, onRestoreEnded }: RestoreDependencies,
  { id: restoreId, accountId, backupId, serverId, incidentId }: ActiveRestore,
  { lease }: LeasedRun,
  ending: RestoreEnd,
  failure?: unknown,
) =>
  lease.transaction(db, async (tx) => {
    await followPointers(tx, { accountId, restoreId }, ending);
    if (!(await endRestore(tx, { accountId, restoreId }, ending))) return;
    await repostPanels(tx, { queue }, { accountId, serverId });
    if (failure instanceof BlobBroken) {
      const losses = [failureMessage(failure)];
      const broken = { restorable: false, losses, provedAt: clock.now() };
      await recordTestResult(tx, { queue }, { accountId, backupId }, broken);
    }
    await alertOfEnd(tx, { queue }, { accountId, serverId, restoreId }, ending);
    await pruneRestoredIds(tx, { accountId, serverId });
    await assessHealth(tx, { accountId, serverId });
    const { status } = ending;
    await onRestoreEnded(tx, { accountId, serverId, incidentId, restoreId, status });
    // People who were erased meanwhile are taken out of the backup and the journal now.
    await queue.enqueue(tx, redactAccount, { accountId });
    await recordAudit(tx, {
      accountId,
      actor: systemActor,
      action: 'restore.end',
      subject: { type: 'restore', id: restoreId },
      changes: { serverId, status: ending.status, error: ending.error ?? null },
    });
  });

/** An owner who cancels a restore knows of it. */
const alertOfEnd = async (
  tx: Transaction,
  dependencies: Pick<RestoreDependencies, 'queue'>,
  { accountId, serverId, restoreId }: RestoreOwner & { serverId: string },
  { status, error }: RestoreEnd,
): Promise<void> => {
  if (status === 'cancelled') return;
  const facts = { restoreId, status, error: error ?? null };
  await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'RESTORE_ENDED', facts });
};

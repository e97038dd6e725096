import type { Plan } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { findPlan, lockAccount } from '../../accounts/queries.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { lockServer, storeLastScheduled } from '../../servers/queries.ts';
import { runBackup } from '../jobs.ts';
import { readUsedStorageBytes } from '../objects/queries.ts';
import { countChargedBackups, insertBackup } from '../queries.ts';
import { defaultComponents } from '../rules.ts';
import { applyRetention, type ScheduleDependencies } from './apply-retention.ts';
import {
  hasScheduledInProgress,
  isStillDue,
  listScheduled,
  type ScheduledServer,
} from './queries.ts';

/** Creates a server's scheduled backup. Where the plan allows no more, it is created as failed. */
export const createScheduledBackup = async (
  dependencies: ScheduleDependencies,
  server: ScheduledServer,
): Promise<void> => {
  await applyRetention(dependencies, server);
  await insertScheduled(dependencies, server);
};

const insertScheduled = (
  { db, queue, limitsOf, clock }: ScheduleDependencies,
  server: ScheduledServer,
) =>
  db.transaction(async (tx) => {
    const { accountId, serverId } = server;
    await lockServer(tx, server);
    await lockAccount(tx, accountId);
    if (!(await isStillDue(tx, server))) return;
    const plan = (await findPlan(tx, accountId)) ?? 'FREE';
    const error = await findLimitReached(tx, server, limitsOf(plan));
    const now = clock.now();
    const backup = await insertBackup(tx, {
      id: newId(),
      ...{ accountId, serverId, kind: 'SCHEDULED', components: defaultComponents },
      name: `Scheduled ${now.toISOString()}`,
      messagesPerChannel: 0,
      ...(error !== undefined && { status: 'failed', error, completedAt: now }),
    });
    const backupId = backup.id;
    await storeLastScheduled(tx, server, backup.createdAt);
    if (error === undefined) {
      await queue.enqueue(tx, runBackup, { backupId, accountId });
    } else {
      const facts = { backupId, error };
      await raiseAlert(tx, { queue }, { accountId, serverId, kind: 'BACKUP_FAILED', facts });
    }
    await recordAudit(tx, {
      accountId,
      actor: systemActor,
      action: error === undefined ? 'backup.create' : 'backup.fail',
      subject: { type: 'backup', id: backupId },
      changes: { serverId, name: backup.name, ...(error !== undefined && { error }) },
    });
  });

/**
 * A full plan allows one more where the retention can delete a scheduled one for it. That one is deleted
 * only after the new one is seen to be good, so while one is in progress a full plan allows no other.
 */
const findLimitReached = async (
  tx: Transaction,
  server: ScheduledServer,
  { maxBackups, maxStorageBytes }: Plan,
): Promise<string | undefined> => {
  if ((await readUsedStorageBytes(tx, server.accountId)) >= maxStorageBytes) {
    return "The plan's storage is used up: delete backups, or choose a larger plan";
  }
  if ((await countChargedBackups(tx, server.accountId)) < maxBackups) return undefined;
  const isReplaceable = (await listScheduled(tx, server)).length > 0;
  return isReplaceable && !(await hasScheduledInProgress(tx, server))
    ? undefined
    : `The plan's limit for backups (${maxBackups}) is reached`;
};

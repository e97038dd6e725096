import type { Plan } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudit } from '../../audit/queries.ts';
import { findPlan, lockUser } from '../../accounts/queries.ts';
import { runBackup } from '../jobs.ts';
import { usedStorageBytes } from '../objects/queries.ts';
import { countChargedBackups, insertBackup } from '../queries.ts';
import { defaultComponents } from '../rules.ts';
import { isScheduledUnderWay, listScheduled, type ScheduledServer, takeTurn } from './queries.ts';
import { retain, type ScheduleTools } from './retain.ts';

/** One server's turn. What the plan has no room for is shown as a failed backup, not passed over. */
export const takeScheduledTurn = async (
  tools: ScheduleTools,
  server: ScheduledServer,
): Promise<void> => {
  await retain(tools, server);
  await insertScheduled(tools, server);
};

const insertScheduled = ({ db, queue, limitsOf }: ScheduleTools, server: ScheduledServer) =>
  db.transaction(async (tx) => {
    const { accountId, serverId } = server;
    await lockUser(tx, accountId);
    if (!(await takeTurn(tx, server))) return;
    const plan = (await findPlan(tx, accountId)) ?? 'FREE';
    const error = await findLackOfRoom(tx, server, limitsOf(plan));
    const backup = await insertBackup(tx, {
      id: newId(),
      ...{ accountId, serverId, kind: 'SCHEDULED', components: defaultComponents },
      name: `Scheduled ${new Date().toISOString()}`,
      messagesPerChannel: 0,
      ...(error !== undefined && { status: 'failed', error, completedAt: new Date() }),
    });
    if (error === undefined) {
      await queue.enqueue(tx, runBackup, { backupId: backup.id, accountId }, { group: accountId });
    }
    await recordAudit(tx, {
      accountId,
      actor: { type: 'SYSTEM', id: null },
      action: error === undefined ? 'backup.create' : 'backup.fail',
      subject: { type: 'backup', id: backup.id },
      changes: { serverId, name: backup.name, ...(error !== undefined && { error }) },
    });
  });

/**
 * A full plan has room for one more where a scheduled one goes for it afterwards; only afterwards,
 * when the new one is seen to be good. While one is still under way nothing is added to a full plan.
 */
const findLackOfRoom = async (
  tx: Transaction,
  server: ScheduledServer,
  { maxBackups, maxStorageBytes }: Plan,
): Promise<string | undefined> => {
  if ((await usedStorageBytes(tx, server.accountId)) >= maxStorageBytes) {
    return "The plan's storage is used up: delete backups, or choose a larger plan";
  }
  if ((await countChargedBackups(tx, server.accountId)) < maxBackups) return undefined;
  const canGo = (await listScheduled(tx, server)).length > 0;
  return canGo && !(await isScheduledUnderWay(tx, server))
    ? undefined
    : `The plan's limit for backups (${maxBackups}) is reached`;
};

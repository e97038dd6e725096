import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { runBackup } from '../../backups/jobs.ts';
import { insertBackup } from '../../backups/queries.ts';
import { defaultComponents } from '../../backups/rules.ts';
import { startAutoRepair } from '../incidents/repair/auto-repair.ts';
import { attachActs } from '../queries/acts.ts';
import { lockToContain, markContained, storeProgress } from '../queries/containment.ts';
import { listExecutorStates } from '../queries/course.ts';
import { pinBackup } from '../queries/pinned-backup.ts';
import { beginStep, endStep, findLastStep } from '../queries/steps.ts';
import type { Containment } from './containment.ts';

/**
 * A backup of the guild as the attack left it, to see later what was there. Like the one before a restore
 * it is free, and never the last good one.
 */
export const takeSnapshot = async (containment: Containment): Promise<void> => {
  const { dependencies, owner, incident, run } = containment;
  const { db, queue, clock } = dependencies;
  const { accountId, serverId } = incident;
  await run.lease.transaction(db, async (tx) => {
    if (!(await lockToContain(tx, owner))) return;
    if (await findLastStep(tx, owner, 'SNAPSHOT')) return;
    const backup = await insertBackup(tx, {
      ...{ id: newId(), accountId, serverId, kind: 'PRE_RESTORE', messagesPerChannel: 0 },
      ...{ name: `Incident ${clock.now().toISOString()}`, components: defaultComponents },
    });
    await storeProgress(tx, owner, { snapshotBackupId: backup.id });
    const seq = await beginStep(tx, owner, { kind: 'SNAPSHOT', detail: { backupId: backup.id } });
    await endStep(tx, owner, { seq, status: 'done' });
    await queue.enqueue(tx, runBackup, { backupId: backup.id, accountId });
  });
};

/** The owner is told, also of an attack that could not be stopped. */
export const settleContained = async (containment: Containment): Promise<void> => {
  const { dependencies, owner, incident, run } = containment;
  const { accountId, serverId } = incident;
  const { incidentId } = owner;
  await run.lease.transaction(dependencies.db, async (tx) => {
    if (!(await lockToContain(tx, owner))) return;
    // Whoever was stopped as it arrived may have done something that was stored before that.
    await attachActs(tx, owner);
    await pinBackup(tx, owner);
    const isContained = await markContained(tx, owner);
    await tellOwner(tx, containment);
    if (!isContained) return;
    await recordAudit(tx, {
      accountId,
      actor: systemActor,
      action: 'incident.contain',
      subject: { type: 'incident', id: incidentId },
      changes: { serverId },
    });
  });
};

/** Of what is contained, and not repaired or being repaired already. */
export const beginRepair = async ({ dependencies, owner, run }: Containment): Promise<void> => {
  await run.lease.transaction(dependencies.db, async (tx) => {
    if (await lockToContain(tx, owner)) await startAutoRepair(tx, dependencies, owner);
  });
};

/** Once for everybody who takes part: of an attack that somebody joins, the owner hears again. */
const tellOwner = async (
  tx: Transaction,
  { dependencies, owner, incident: { accountId, serverId } }: Containment,
): Promise<void> => {
  const told = await findLastStep(tx, owner, 'ALERT');
  const { length: executors } = await listExecutorStates(tx, owner.incidentId);
  if (told && Number(told.detail.executors) >= executors) return;
  const seq = await beginStep(tx, owner, { kind: 'ALERT', detail: { executors } });
  await endStep(tx, owner, { seq, status: 'done' });
  const facts = { incidentId: owner.incidentId, incidentKind: 'NUKE' as const };
  await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'INCIDENT', facts });
};

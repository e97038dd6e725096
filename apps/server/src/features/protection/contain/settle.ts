import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import type { NotStopped } from '../../alerts/rules.ts';
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

/** Before all is done that takes its time. */
export const tellOwner = async (containment: Containment): Promise<void> => {
  const { dependencies, owner, run } = containment;
  await run.lease.transaction(dependencies.db, async (tx) => {
    if (await lockToContain(tx, owner)) await tell(tx, containment);
  });
};

/**
 * Once for everybody who takes part, and for everybody who could not be stopped: of an attack that somebody
 * joins, or that somebody goes on with, the owner hears again.
 */
const tell = async (
  tx: Transaction,
  { dependencies, owner, incident: { accountId, serverId } }: Containment,
): Promise<void> => {
  const executors = await listExecutorStates(tx, owner.incidentId);
  const notStopped = executors.flatMap(({ platformId, whyNotStopped: code }) =>
    code === null ? [] : { platformId, code },
  );
  const told = await findLastStep(tx, owner, 'ALERT');
  const detail = { executors: executors.length, notStopped: keysOf(notStopped) };
  if (told && !isNews(detail, told.detail)) return;
  const seq = await beginStep(tx, owner, { kind: 'ALERT', detail });
  await endStep(tx, owner, { seq, status: 'done' });
  const facts = {
    incidentId: owner.incidentId,
    incidentKind: 'NUKE' as const,
    notStopped,
    isByNobodyKnown: executors.length === 0,
  };
  await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'INCIDENT', facts });
};

type Told = { executors: number; notStopped: string[] };

const keysOf = (people: readonly NotStopped[]): string[] =>
  people.map(({ platformId, code }) => `${platformId} ${code}`);

const isNews = (now: Told, told: Record<string, unknown>): boolean => {
  const known: unknown = told.notStopped;
  const isKnown = (key: string) => Array.isArray(known) && known.includes(key);
  return now.executors > Number(told.executors) || !now.notStopped.every(isKnown);
};

/** Where nobody is left who could go on. */
export const settleContained = async (containment: Containment): Promise<void> => {
  const { dependencies, owner, incident, run } = containment;
  const { accountId, serverId } = incident;
  await run.lease.transaction(dependencies.db, async (tx) => {
    if (!(await lockToContain(tx, owner))) return;
    // Whoever was stopped as it arrived may have done something that was stored before that.
    await attachActs(tx, owner);
    await pinBackup(tx, owner);
    await tell(tx, containment);
    if (!(await markContained(tx, owner))) return;
    await recordAudit(tx, {
      accountId,
      actor: systemActor,
      action: 'incident.contain',
      subject: { type: 'incident', id: owner.incidentId },
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

import type { Database, Queryable, Transaction } from '../../../../db/connect.ts';
import type { Actor } from '../../../../http/handler.ts';
import { conflict, notFound } from '../../../../kernel/errors.ts';
import type { Queue } from '../../../../queue/queue.ts';
import { recordAudit } from '../../../audit/queries.ts';
import type { PreviewRestore } from '../../../restores/run/preview.ts';
import { startUndo } from '../../../restores/undo/start-undo.ts';
import { readTime } from '../../../servers/queries.ts';
import { isBeingStopped } from '../../queries/executors.ts';
import { findIncident, type IncidentRow, lockIncident } from '../../queries/incidents.ts';
import { hasNobodyKnown } from '../../queries/losses.ts';
import { choosePinned, pinBackup } from '../../queries/pinned-backup.ts';
import { countIncidentActs, setRepair } from '../../queries/repair.ts';
import { beginStep, findLastStep } from '../../queries/steps.ts';
import { completeUndoScope, readUndoScope } from './undo-scope.ts';
import { endWait } from './wait.ts';

type OfIncident = { accountId: string; incidentId: string };

/** For so long what others do is kept, by which their changes are told from the attackers'. */
export const repairableMs = 30 * 24 * 60 * 60 * 1000;

/** Why an incident cannot be repaired as it stands; the executors must not undo the repair meanwhile. */
const reasonAgainst = ({ kind, status, createdAt }: IncidentRow, now: Date): string | undefined => {
  if (kind === 'RAID') return 'A raid damages nothing that could be repaired';
  if (status === 'repaired') return 'The incident is repaired already';
  return now.getTime() - createdAt.getTime() > repairableMs ? tooOld : undefined;
};

const tooOld =
  'The incident is older than 30 days: what honest people have changed since cannot be told apart any more. Compare a backup with the server, and restore what you want';

type Repairable = { incident: IncidentRow; backupId: string };
type Refused = { refusal: string; isUnderWay?: true };

/** The last good backup from before it, where the incident can be repaired; else why it cannot. */
const prepareRepair = async (
  db: Queryable,
  incident: IncidentRow,
): Promise<Repairable | Refused> => {
  const refusal = reasonAgainst(incident, await readTime(db));
  if (refusal) return { refusal };
  const { id: incidentId, accountId, serverId } = incident;
  // Who is not known, or could not be stopped, may be so for good: then a repair is the owner's decision.
  const isContaining =
    incident.status === 'open' &&
    !(await hasNobodyKnown(db, { accountId, incidentId })) &&
    (await isBeingStopped(db, incidentId));
  if (isContaining) return { refusal: 'The incident is not contained yet' };
  const backupId = await choosePinned(db, { incidentId, accountId, serverId });
  return backupId ? { incident, backupId } : { refusal: noGoodBackup };
};

const isUnderWay: Refused = { refusal: 'A restore of this server is under way', isUnderWay: true };
const noGoodBackup = 'The server has no good backup from before the attack to repair it from';

/** Starts a restore of exactly what the incident's executors did; else says why not. */
export const startRepair = async (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  incident: IncidentRow,
  actor: Actor,
) => {
  const repairable = await prepareRepair(tx, incident);
  if ('refusal' in repairable) return repairable;
  const { accountId, serverId, id: incidentId } = incident;
  const { backupId } = repairable;
  const owner = { accountId, incidentId };
  await pinBackup(tx, owner);
  const scope = await readUndoScope(tx, { ...owner, serverId, backupId });
  const restore = await startUndo(tx, queue, { ...owner, serverId, backupId, scope, actor });
  if (restore === 'noBackup') return { refusal: noGoodBackup };
  if (restore === 'underWay') return isUnderWay;
  await endWait(tx, owner, 'done');
  await setRepair(tx, owner, restore.id);
  const acts = await countIncidentActs(tx, owner);
  await beginStep(tx, owner, { kind: 'REPAIR', detail: { restoreId: restore.id, acts } });
  await recordAudit(tx, {
    ...{ accountId, actor, action: 'incident.repair' },
    subject: { type: 'incident', id: incidentId },
    changes: { serverId, restoreId: restore.id },
  });
  return restore;
};

/** The same, where whoever asks is told why it is not possible. */
export const repairIncident = async (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  owner: OfIncident,
  actor: Actor,
) => {
  const incident = await lockIncident(tx, owner);
  if (!incident) throw notFound('Incident');
  const started = await startRepair(tx, queue, incident, actor);
  if ('refusal' in started) throw conflict(started.refusal);
  return started;
};

/** What the repair would do, in the shape of a plan. */
export const planRepair = async (db: Database, preview: PreviewRestore, owner: OfIncident) => {
  const incident = await findIncident(db, owner);
  if (!incident) throw notFound('Incident');
  const repairable = await prepareRepair(db, incident);
  if ('refusal' in repairable) throw conflict(repairable.refusal);
  const { backupId } = repairable;
  const { accountId, serverId } = incident;
  const scope = await readUndoScope(db, { ...owner, serverId, backupId });
  const undo = { scope, complete: completeUndoScope, incidentId: owner.incidentId };
  const plan = await preview(db, {
    ...{ accountId, serverId, targetId: serverId, backupId, undo },
    ...{ mode: 'REPAIR', deleteExtra: false },
  });
  if (!plan) throw notFound('Backup');
  if ('failure' in plan) throw conflict(plan.failure);
  return { backupId, serverId, ...plan };
};

/** Whether acts are known that no repair has begun to undo. */
export const isRepairDue = async (tx: Transaction, owner: OfIncident): Promise<boolean> => {
  const last = await findLastStep(tx, owner, 'REPAIR');
  if (!last) return true;
  return last.status !== 'begun' && (await countIncidentActs(tx, owner)) > Number(last.detail.acts);
};

import type { Transaction } from '../../../../db/connect.ts';
import type { Queue } from '../../../../queue/queue.ts';
import { recordAudit } from '../../../audit/queries.ts';
import { systemActor } from '../../../audit/rules.ts';
import type { EndedRestore } from '../../../restores/run/restore-run.ts';
import { containLater, resumeInvitesLater } from '../../contain/queued.ts';
import { lockIncident } from '../../queries/incidents.ts';
import { listWaitingRepairs, markRepaired } from '../../queries/repair.ts';
import { endStep, findLastStep } from '../../queries/steps.ts';
import { isRepairDue } from './repair.ts';

type Dependencies = { queue: Pick<Queue, 'enqueue'> };

/** More wait only where many incidents of one server are repaired at once; the next end finds them. */
const mostOfServer = 10;

/** In the transaction that ends a restore of any kind, however it ends. */
export const followRestoreEnd =
  ({ queue }: Dependencies) =>
  async (tx: Transaction, { incidentId, ...restore }: EndedRestore): Promise<void> => {
    if (incidentId) await settleRepair(tx, queue, { ...restore, incidentId });
    for (const incident of await listWaitingRepairs(tx, mostOfServer, restore)) {
      await containLater(queue, tx, incident);
    }
  };

/**
 * A repair that is not whole leaves the incident contained, and so does one that began before all was known
 * of what was done: then the containment goes on.
 */
const settleRepair = async (
  tx: Transaction,
  queue: Dependencies['queue'],
  { accountId, incidentId, restoreId, status }: EndedRestore & { incidentId: string },
): Promise<void> => {
  const owner = { accountId, incidentId };
  if (!(await lockIncident(tx, owner))) return;
  const step = await findLastStep(tx, owner, 'REPAIR');
  const isWhole = status === 'completed';
  if (step?.detail.restoreId === restoreId) {
    await endStep(tx, owner, { seq: step.seq, status: isWhole ? 'done' : 'failed' });
  }
  if (!isWhole) return;
  if (await isRepairDue(tx, owner)) return containLater(queue, tx, owner);
  if (!(await markRepaired(tx, { ...owner, restoreId }))) return;
  await resumeInvitesLater(queue, tx, owner);
  await recordAudit(tx, {
    ...{ accountId, actor: systemActor, action: 'incident.end' },
    subject: { type: 'incident', id: incidentId },
    changes: { status: 'repaired', restoreId },
  });
};

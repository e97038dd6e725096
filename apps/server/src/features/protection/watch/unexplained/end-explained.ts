import type { Transaction } from '../../../../db/connect.ts';
import type { Queue } from '../../../../queue/queue.ts';
import { raiseAlert } from '../../../alerts/deliver/raise-alert.ts';
import { recordAudit } from '../../../audit/queries.ts';
import { systemActor } from '../../../audit/rules.ts';
import { hasActiveRestore } from '../../../restores/queries/restores.ts';
import { resumeInvitesLater } from '../../contain/queued.ts';
import { endIncident, lockIncident } from '../../queries/incidents.ts';
import { hasNobodyKnown } from '../../queries/losses.ts';
import type { OfIncident } from '../../queries/of-incident.ts';
import { countIncidentActs } from '../../queries/repair.ts';
import { findLastStep } from '../../queries/steps.ts';

/**
 * Ends an incident of nobody known of which the audit log has told everything by now, and nothing of it was an
 * attack: otherwise whoever did it would have joined it.
 */
export const endExplained = async (
  tx: Transaction,
  dependencies: { queue: Pick<Queue, 'enqueue'> },
  owner: OfIncident,
): Promise<void> => {
  const incident = await lockIncident(tx, owner);
  if (incident?.status !== 'open' || !(await hasNobodyKnown(tx, owner))) return;
  if ((await countIncidentActs(tx, owner)) > 0) return;
  // What its owner has begun to repair ends with that.
  if (incident.repairRestoreId !== null && (await hasActiveRestore(tx, incident))) return;
  const { accountId, serverId } = incident;
  await endIncident(tx, owner, 'dismissed');
  await resumeInvitesLater(dependencies.queue, tx, owner);
  if (await findLastStep(tx, owner, 'ALERT')) {
    const facts = { explainedIncidentId: owner.incidentId };
    await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'INCIDENT', facts });
  }
  await recordAudit(tx, {
    ...{ accountId, actor: systemActor, action: 'incident.dismiss' },
    subject: { type: 'incident', id: owner.incidentId },
    changes: { serverId, reason: 'explained' },
  });
};

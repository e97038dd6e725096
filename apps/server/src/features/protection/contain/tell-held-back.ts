import { PlatformFailure } from '../../../platform/failures.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { lockToContain } from '../queries/containment.ts';
import { beginStep, endStep, findLastStep } from '../queries/steps.ts';
import type { Containment } from './containment.ts';

/**
 * Whoever attacks goes on while the circuit breaker holds the containment back: the owner, who can act by
 * hand, is told, once for those who are known to take part.
 */
export const tellHeldBack = async (
  { dependencies, owner, incident: { accountId, serverId }, run }: Containment,
  failure: unknown,
): Promise<void> => {
  if (!(failure instanceof PlatformFailure) || failure.kind !== 'breakerOpen') return;
  await run.lease.transaction(dependencies.db, async (tx) => {
    if (!(await lockToContain(tx, owner))) return;
    const told = await findLastStep(tx, owner, 'ALERT');
    if (told?.detail.isHeldBack) return;
    const detail = { ...told?.detail, isHeldBack: true };
    const seq = await beginStep(tx, owner, { kind: 'ALERT', detail });
    await endStep(tx, owner, { seq, status: 'done' });
    const facts = { heldBackIncidentId: owner.incidentId };
    await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'INCIDENT', facts });
  });
};

import type { Transaction } from '../../../../db/connect.ts';
import type { Log } from '../../../../kernel/log.ts';
import type { Queue } from '../../../../queue/queue.ts';
import { findPlan } from '../../../accounts/queries.ts';
import { systemActor } from '../../../audit/rules.ts';
import type { PlanTable } from '../../../plans/rules.ts';
import { listExecutorStates } from '../../queries/course.ts';
import { lockIncident } from '../../queries/incidents.ts';
import type { OfIncident } from '../../queries/of-incident.ts';
import { findStoredSettings } from '../../queries/settings.ts';
import { isRepairDue, startRepair } from './repair.ts';
import { awaitRestore, endWait } from './wait.ts';

export type AutoRepairDependencies = {
  queue: Pick<Queue, 'enqueue'>;
  limitsOf: PlanTable['limitsOf'];
  log: Log;
};

/**
 * Once an incident is contained: the repair starts by itself where the owner wants it, the plan includes
 * it, and everyone was stopped. Whoever still has power would go on meanwhile.
 */
export const startAutoRepair = async (
  tx: Transaction,
  { queue, limitsOf, log }: AutoRepairDependencies,
  owner: OfIncident,
): Promise<void> => {
  const incident = await lockIncident(tx, owner);
  if (incident?.status !== 'contained' || !(await isRepairDue(tx, owner))) return;
  const { serverId } = incident;
  if (!(await startsByItself(tx, limitsOf, { ...owner, serverId }))) {
    return endWait(tx, owner, 'failed');
  }
  const started = await startRepair(tx, queue, incident, systemActor);
  if (!('refusal' in started)) return;
  const { refusal, isUnderWay } = started;
  log.info({ ...owner, refusal }, 'a repair did not start by itself');
  if (isUnderWay) await awaitRestore(tx, queue, { ...owner, serverId });
  else await endWait(tx, owner, 'failed');
};

const startsByItself = async (
  tx: Transaction,
  limitsOf: PlanTable['limitsOf'],
  { accountId, serverId, incidentId }: OfIncident & { serverId: string },
): Promise<boolean> => {
  const settings = await findStoredSettings(tx, { accountId, serverId });
  const { hasAutoRepair } = limitsOf((await findPlan(tx, accountId)) ?? 'FREE');
  const executors = await listExecutorStates(tx, incidentId);
  const areStopped = executors.every(({ status }) => status === 'stopped');
  return Boolean(settings?.autoRepair) && hasAutoRepair && areStopped;
};

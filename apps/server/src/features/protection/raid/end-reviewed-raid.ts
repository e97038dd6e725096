import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { endIncident, lockIncident } from '../queries/incidents.ts';
import { endStep, findLastStep } from '../queries/steps.ts';
import type { RaidDependencies } from './contain-raid.ts';
import { countByStatus } from './queries/review.ts';
import type { WaveToContain } from './queries/waves.ts';

/** Nobody waits any more. While the wave goes on others may come, to whom the decision applies too. */
export const endReviewedRaid = async (
  { db }: RaidDependencies,
  wave: WaveToContain,
  { lease }: LeasedRun,
): Promise<void> => {
  if (wave.overAt === null) return;
  await lease.transaction(db, async (tx) => {
    const incident = await lockIncident(tx, wave);
    if (!incident || incident.endedAt !== null) return;
    const { kicked, banned, gone, spared, failed } = await countByStatus(tx, wave);
    const detail = { kicked, banned, gone, spared, failed };
    const step = await findLastStep(tx, wave, 'REMOVE_NEWCOMERS');
    if (step) await endStep(tx, wave, { seq: step.seq, status: 'done', detail });
    await endIncident(tx, wave, 'repaired');
    const { accountId, incidentId, serverId } = wave;
    await recordAudit(tx, {
      ...{ accountId, actor: systemActor, action: 'incident.end_review' },
      subject: { type: 'incident', id: incidentId },
      changes: { serverId, ...detail },
    });
  });
};

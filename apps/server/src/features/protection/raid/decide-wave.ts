import type { WaveDecision } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { Queue } from '../../../queue/queue.ts';
import { lowerChecks } from '../../verification/queries/raised-checks.ts';
import { resumeInvitesLater } from '../contain/queued.ts';
import { endIncident, lockIncident } from '../queries/incidents.ts';
import { beginStep, endStep } from '../queries/steps.ts';
import { reviewWaveLater } from './jobs.ts';
import { storeDecision } from './queries/review.ts';
import { endWave, type OfWave } from './queries/waves.ts';

type Wave = OfWave & { serverId: string };
type Limits = Parameters<typeof endWave>[2];

/** The wave is over: the owner's own checks apply again, and invites are resumed by a job. */
export const finishWave = async (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  wave: Wave,
  limits?: Limits,
): Promise<boolean> => {
  // The steps of its journal are numbered under this lock.
  if (!(await lockIncident(tx, wave)) || !(await endWave(tx, wave, limits))) return false;
  await lowerChecks(tx, wave);
  const seq = await beginStep(tx, wave, { kind: 'LOWER_CHECKS' });
  await endStep(tx, wave, { seq, status: 'done' });
  const { accountId, incidentId } = wave;
  await resumeInvitesLater(queue, tx, { accountId, incidentId });
  await reviewWaveLater(queue, tx, wave);
  return true;
};

/** False where it is decided already. For an incident that is locked and has not ended. */
export const decideWave = async (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  wave: Wave,
  decision: WaveDecision,
): Promise<boolean> => {
  if (!(await storeDecision(tx, wave, decision))) return false;
  if (decision === 'KEEP') {
    await finishWave(tx, queue, wave);
    await endIncident(tx, wave, 'dismissed');
  } else await beginStep(tx, wave, { kind: 'REMOVE_NEWCOMERS', detail: { decision } });
  await reviewWaveLater(queue, tx, wave);
  return true;
};

import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { ofAccount } from '../../../queue/job.ts';
import type { Queue } from '../../../queue/queue.ts';

const ofIncident = z.object({ accountId: z.guid(), incidentId: z.guid() });
type OfIncident = z.output<typeof ofIncident>;

export const contain = {
  name: 'protection.contain',
  payload: ofIncident,
  groupOf: ofAccount,
  concurrency: 64,
};

export const containLater = (
  queue: Pick<Queue, 'enqueue'>,
  tx: Transaction,
  incident: OfIncident,
): Promise<void> => queue.enqueue(tx, contain, incident);

export const resumeIncidentInvites = {
  name: 'protection.resume-invites',
  payload: ofIncident,
  groupOf: ofAccount,
  concurrency: 16,
};

/** For an incident that ends: invites that were paused for it work again. */
export const resumeInvitesLater = (
  queue: Pick<Queue, 'enqueue'>,
  tx: Transaction,
  incident: OfIncident,
): Promise<void> => queue.enqueue(tx, resumeIncidentInvites, incident);

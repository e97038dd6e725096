import { z } from 'zod';
import type { Database, Transaction } from '../../../db/connect.ts';
import { type Job, ofAccountIfKnown } from '../../../queue/job.ts';
import type { Queue } from '../../../queue/queue.ts';
import {
  findDispute,
  listWaitingDisputes,
  lockDispute,
  lockPaymentRefs,
} from '../queries/disputes.ts';
import { type DisputeDependencies, resolveIntent, settleDispute } from './apply-dispute.ts';

/** Settles a dispute whose charge has become known to have paid for something. */
export const settleWaitingDispute = {
  name: 'billing.settle-dispute',
  payload: z.object({
    disputeId: z.string().min(1),
    eventId: z.string().min(1),
    accountId: z.guid().optional(),
  }),
  groupOf: ofAccountIfKnown,
};

/** Call it when it has become known what these payments paid for. */
export const enqueueWaitingDisputes = async (
  tx: Transaction,
  { queue }: { queue: Pick<Queue, 'enqueue'> },
  { eventId, accountId }: { eventId: string; accountId: string | null },
  paymentRefs: readonly (string | null)[],
): Promise<void> => {
  for (const disputeId of await listWaitingDisputes(tx, paymentRefs)) {
    const waiting = { disputeId, eventId, accountId: accountId ?? undefined };
    await queue.enqueue(tx, settleWaitingDispute, waiting);
  }
};

/** A job of its own: the enqueuing event holds locks that come after those of a dispute. */
export const settleWaitingDisputeJob = (
  dependencies: DisputeDependencies & { db: Database },
): Job<z.output<typeof settleWaitingDispute.payload>> => ({
  ...settleWaitingDispute,
  async run({ disputeId, eventId }) {
    const { db } = dependencies;
    const found = await findDispute(db, disputeId);
    if (!found) return;
    const paymentIntent = await resolveIntent(db, found);
    await db.transaction(async (tx) => {
      await lockPaymentRefs(tx, [found.chargeId, paymentIntent]);
      const dispute = await lockDispute(tx, disputeId);
      if (dispute) await settleDispute(tx, dependencies, [eventId], { ...dispute, paymentIntent });
    });
  },
});

import type { Transaction } from '../../../../db/connect.ts';
import type { Queue } from '../../../../queue/queue.ts';
import { holdActiveRestore } from '../../../restores/queries/restores.ts';
import { containLater } from '../../contain/queued.ts';
import type { OfIncident } from '../../queries/of-incident.ts';
import { continueStep, endStep, listBegunSteps } from '../../queries/steps.ts';

const kind = 'AWAIT_RESTORE';

/**
 * A repair that another restore of the server keeps back. The step says that it waits: the end of that
 * restore looks for it, and cannot come before the step is stored. The incident is locked.
 */
export const awaitRestore = async (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  { serverId, ...owner }: OfIncident & { serverId: string },
): Promise<void> => {
  const { accountId } = owner;
  const isUnderWay = await holdActiveRestore(tx, { accountId, serverId });
  await continueStep(tx, owner, { kind });
  // It has ended since the repair was refused, and has looked already.
  if (!isUnderWay) await containLater(queue, tx, owner);
};

/** Done where the repair starts; failed where it will not. */
export const endWait = async (
  tx: Transaction,
  owner: OfIncident,
  status: 'done' | 'failed',
): Promise<void> => {
  for (const { seq } of await listBegunSteps(tx, owner, { kind })) {
    await endStep(tx, owner, { seq, status });
  }
};

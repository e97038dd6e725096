import type { Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Queue } from '../../../queue/queue.ts';
import { type LookAt, lookLater } from '../watch/look-job.ts';
import { retryStopsIn } from '../watch/retry-stops.ts';

/** As `limits` of a watched guild has it, with its end. */
const prefix = 'TIMED_OUT ';
const isTimeOut = (limit: string): boolean => limit.startsWith(prefix);

/**
 * No event tells that a time-out of the bot is over. So the guild is looked at again then, which reads what
 * was done meanwhile, and whoever could not be stopped is tried again.
 */
export const followTimeOut = async (
  tx: Transaction,
  { queue, clock }: { queue: Pick<Queue, 'enqueue'>; clock: Clock },
  look: LookAt,
  { before, after }: Record<'before' | 'after', readonly string[]>,
): Promise<void> => {
  for (const limit of after.filter((one) => isTimeOut(one) && !before.includes(one))) {
    const restMs = Date.parse(limit.slice(prefix.length)) - clock.now().getTime();
    await lookLater(queue, tx, look, { startAfterSeconds: Math.ceil(restMs / 1000) + 1 });
  }
  if (before.some(isTimeOut) && !after.some(isTimeOut)) await retryStopsIn(queue, tx, look);
};

import type { Database } from '../../db/connect.ts';
import type { Log } from '../../kernel/log.ts';
import { lockQueueTimes, readClockStepBackMs, shiftQueueTimesBack } from '../queries.ts';

/** Smaller differences are normal corrections of a clock. */
const smallestStepMs = 5000;

/**
 * The queue stores times of the database's clock: when a schedule last ran, when a retry is due, when a
 * lease ends. When that clock is set back, all of them lie in the future, and everything would wait for
 * as long as the step. So the stored times are set back by as much.
 */
export const followClockStepBack = async (db: Database, log: Log): Promise<void> => {
  if ((await readClockStepBackMs(db)) < smallestStepMs) return;
  const stepMs = await db.transaction(async (tx) => {
    await lockQueueTimes(tx);
    const stillMs = await readClockStepBackMs(tx);
    if (stillMs < smallestStepMs) return 0;
    await shiftQueueTimesBack(tx, stillMs);
    return stillMs;
  });
  if (stepMs === 0) return;
  const seconds = Math.round(stepMs / 1000);
  log.warn(
    { seconds },
    'the clock of the database was set back; the times of the queue were adjusted',
  );
};

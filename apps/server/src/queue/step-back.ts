import type { Database } from '../db/connect.ts';
import type { Log } from '../kernel/log.ts';
import { findStepBack, lockClaims, takeStepBack } from './queries.ts';

/** Clocks are slewed by less than this all the time. */
const leastStepMs = 5000;

/**
 * The queue notes by the database's clock when it last ran a schedule, when a retry is due, until when a
 * lease is held. When that clock is set back, all of it lies in the future, and would wait for as long
 * as the step. So what is noted there is set back by as much.
 */
export const followStepBack = async (db: Database, log: Log): Promise<void> => {
  if ((await findStepBack(db)) < leastStepMs) return;
  const stepMs = await db.transaction(async (tx) => {
    await lockClaims(tx);
    const stillMs = await findStepBack(tx);
    if (stillMs < leastStepMs) return 0;
    await takeStepBack(tx, stillMs);
    return stillMs;
  });
  if (stepMs === 0) return;
  const seconds = Math.round(stepMs / 1000);
  log.warn({ seconds }, 'the clock of the database was set back; the queue follows it');
};

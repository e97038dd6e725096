import { isCancelledStatement } from '../db/failures.ts';
import { DeadlinePassed } from '../kernel/deadline.ts';
import { Refusal } from '../kernel/errors.ts';

const retryAfterSeconds = 5;

/**
 * A heavy read whose time was up asked for too much beside what its account already asked for: that is
 * the caller's to know. While the database itself does not answer, it is not.
 */
export const refuseTooHeavy =
  ({ isDatabaseReachable }: { isDatabaseReachable(): boolean }) =>
  (error: unknown): never => {
    const isTimeUp = error instanceof DeadlinePassed || isCancelledStatement(error);
    if (!isTimeUp || !isDatabaseReachable()) throw error;
    throw new Refusal(
      429,
      `This takes too long at the moment: ask for less at once, and again in ${retryAfterSeconds} s`,
      {},
      { 'Retry-After': String(retryAfterSeconds) },
    );
  };

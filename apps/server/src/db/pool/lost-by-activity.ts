import { resultWithin } from '../../kernel/deadline.ts';
import type { IsLost, PoolTimes } from './pool.ts';
import { isSessionActive } from './queries.ts';

/** For statements without a time-out: those of an operator's command and of a migration. */
export const unboundedPoolTimes: PoolTimes = {
  silentAfterMs: 10_000,
  checkEveryMs: 2000,
  freshAnswerMs: 3000,
  closeSeconds: 1,
};

/** How many checks in a row must agree, and how long each may take. */
export type ActivityChecks = {
  /** PostgreSQL is idle. More than one, because the answer may still be on its way. */
  idle: number;
  /** PostgreSQL does not answer the check. */
  unanswered: number;
  answerMs: number;
};

/** With the pauses between them, an outage is waited out for about half a minute. */
const defaultChecks: ActivityChecks = { idle: 3, unanswered: 6, answerMs: 3000 };

/**
 * Decides whether a connection is lost where statements have no time-out: it is when PostgreSQL, by its
 * own list of sessions, no longer works on any statement of this name, or does not answer for long.
 */
export const isLostByActivity = (
  applicationName: string,
  checks: ActivityChecks = defaultChecks,
): IsLost => {
  let checkedWait: object | undefined;
  let seen = { idle: 0, unanswered: 0 };
  return async (fresh, wait) => {
    if (checkedWait !== wait) seen = { idle: 0, unanswered: 0 };
    checkedWait = wait;
    const checking = isSessionActive(fresh, applicationName);
    // Undefined where PostgreSQL does not answer.
    const isActive = await resultWithin(checks.answerMs, checking, undefined);
    seen = {
      idle: isActive === false ? seen.idle + 1 : 0,
      unanswered: isActive === undefined ? seen.unanswered + 1 : 0,
    };
    return seen.idle >= checks.idle || seen.unanswered >= checks.unanswered;
  };
};

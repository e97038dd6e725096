import type { SQL } from 'bun';
import type { IsLost, PoolTimes } from './pool.ts';
import { isAtWork } from './queries.ts';

/** For statements that take as long as they need: an operator's, and those of a migration. */
export const patientPoolTimes: PoolTimes = {
  silentAfterMs: 10_000,
  lookEveryMs: 2000,
  freshAnswerMs: 3000,
  closeSeconds: 1,
};

export type Looks = {
  /** An answer may be on its way when PostgreSQL is seen to be through: so more than one. */
  idle: number;
  unanswered: number;
  answerMs: number;
};

/** With the pauses between them, an outage is waited for about half a minute. */
const usualLooks: Looks = { idle: 3, unanswered: 6, answerMs: 3000 };

/**
 * Whether nobody works on a statement any more that somebody waits for, as PostgreSQL itself tells of
 * its sessions. One that does not answer at all is waited for a little longer, and not for ever.
 */
export const judgeByWork = (applicationName: string, looks = usualLooks): IsLost => {
  let looked: object | undefined;
  let seen = { idle: 0, unanswered: 0 };
  return async (fresh, wait) => {
    if (looked !== wait) seen = { idle: 0, unanswered: 0 };
    looked = wait;
    const isWorking = await lookWithin(looks.answerMs, fresh, applicationName);
    seen = {
      idle: isWorking === false ? seen.idle + 1 : 0,
      unanswered: isWorking === undefined ? seen.unanswered + 1 : 0,
    };
    return seen.idle >= looks.idle || seen.unanswered >= looks.unanswered;
  };
};

/** Undefined where there is no answer. */
const lookWithin = (
  ms: number,
  client: SQL,
  applicationName: string,
): Promise<boolean | undefined> =>
  Promise.race([
    isAtWork(client, applicationName).catch(() => undefined),
    Bun.sleep(ms).then(() => undefined),
  ]);

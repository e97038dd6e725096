import { newId } from '../kernel/ids.ts';
import { closeDatabase, connectDatabase } from './connect.ts';
import { type ActivityChecks, isLostByActivity } from './pool/lost-by-activity.ts';

type Times = { checkEveryMs: number; checks: ActivityChecks };

/** Between two statements the work pauses for much less than this. */
const defaultTimes: Times = {
  checkEveryMs: 2000,
  checks: { idle: 8, unanswered: 6, answerMs: 3000 },
};

const lostMessage =
  'The connection to the database was lost, or the database does not answer any more: start again once it does.';

/**
 * For work of another driver whose statements have no time-out: it fails once PostgreSQL has not been
 * active for a while on sessions of the application name that the work is given.
 */
export const requireProgress = async <Result>(
  url: string,
  work: (applicationName: string) => Promise<Result>,
  { checkEveryMs, checks }: Times = defaultTimes,
): Promise<Result> => {
  const applicationName = `holdfast-migrate ${newId()}`;
  const db = connectDatabase(url, { name: 'holdfast-probe', poolSize: 1 });
  const isLost = isLostByActivity(applicationName, checks);
  const wait = {};
  const lost = Promise.withResolvers<never>();
  let isChecking = false;
  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    if (await isLost(db.$client, wait)) lost.reject(new Error(lostMessage));
    isChecking = false;
  };
  const timer = setInterval(check, checkEveryMs);
  try {
    return await Promise.race([work(applicationName), lost.promise]);
  } finally {
    clearInterval(timer);
    await closeDatabase(db);
  }
};

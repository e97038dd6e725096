import { newId } from '../kernel/ids.ts';
import { closeDatabase, connectDatabase } from './connect.ts';
import { judgeByWork, type Looks } from './patient-pool.ts';

type Times = { lookEveryMs: number; looks: Looks };

/** What the work does between two statements takes no such time. */
const usualTimes: Times = {
  lookEveryMs: 2000,
  looks: { idle: 8, unanswered: 6, answerMs: 3000 },
};

const sentence =
  'The connection to the database was lost, or the database does not answer any more: start again once it does.';

/**
 * For work of another driver, whose statements may take as long as they need: it fails once PostgreSQL
 * has not been seen at work for sessions of the given name for a while. The work gets that name.
 */
export const requireProgress = async <Result>(
  url: string,
  work: (applicationName: string) => Promise<Result>,
  { lookEveryMs, looks }: Times = usualTimes,
): Promise<Result> => {
  const applicationName = `holdfast-migrate ${newId()}`;
  const db = connectDatabase(url, { name: 'holdfast-probe', poolSize: 1 });
  const isLost = judgeByWork(applicationName, looks);
  const wait = {};
  const lost = Promise.withResolvers<never>();
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    if (await isLost(db.$client, wait)) lost.reject(new Error(sentence));
    isLooking = false;
  };
  const looking = setInterval(look, lookEveryMs);
  try {
    return await Promise.race([work(applicationName), lost.promise]);
  } finally {
    clearInterval(looking);
    await closeDatabase(db);
  }
};

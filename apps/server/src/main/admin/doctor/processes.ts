import type { Database } from '../../../db/connect.ts';
import { countActiveBots } from '../../../features/bots/queries.ts';
import { countProcesses } from '../../../features/gateway/queries/processes.ts';
import type { OpenDatabase } from './database.ts';
import { type Check, ok, problem, type Verdict, warning } from './finding.ts';
import { findSchedulerAge, listDueJobs, listFailedJobs } from './queries.ts';

export const processChecks = (open: OpenDatabase): Check[] => [
  { name: 'worker', run: async () => [await checkWorker(await open())] },
  { name: 'gateway', run: async () => [await checkGateway(await open())] },
  { name: 'queue', run: async () => checkQueue(await open()) },
];

/** Workers look after the schedules every half minute. */
const silentWorkerSeconds = 150;

const checkWorker = async (db: Database): Promise<Verdict> => {
  const age = await findSchedulerAge(db);
  if (age !== null && age < silentWorkerSeconds)
    return ok(`one was active ${Math.round(age)} s ago`);
  return problem(
    age === null ? 'none has ever run' : `the last sign of one is ${minutes(age)} old`,
    'Start a process with ROLE=worker or all: without one nothing is backed up, restored or mailed.',
  );
};

const checkGateway = async (db: Database): Promise<Verdict> => {
  const processes = await countProcesses(db);
  const bots = await countActiveBots(db);
  if (processes > 0) return ok(`${processes} running for ${bots} active bots`);
  if (bots === 0) return ok('none is running, and there is no active bot yet');
  return problem(
    `none is running for ${bots} active bots`,
    'Start a process with ROLE=gateway or all: without one nothing is heard of any server.',
  );
};

const warnSeconds = 5 * 60;
const worstSeconds = 60 * 60;
const mostListed = 5;

const checkQueue = async (db: Database): Promise<Verdict[]> => {
  const due = await listDueJobs(db);
  const failed = await listFailedJobs(db);
  return [judgeWaiting(due), ...(failed.length > 0 ? [judgeFailed(failed)] : [])];
};

const judgeWaiting = (due: Awaited<ReturnType<typeof listDueJobs>>): Verdict => {
  const [oldest] = due;
  const jobs = due.reduce((sum, queue) => sum + queue.jobs, 0);
  if (!oldest || oldest.oldestSeconds < warnSeconds) return ok(`${jobs} jobs are due`);
  const judge = oldest.oldestSeconds > worstSeconds ? problem : warning;
  return judge(
    `${jobs} jobs are due, the oldest for ${minutes(oldest.oldestSeconds)} (${oldest.name})`,
    'Start more workers, and look in their log for this job.',
  );
};

const judgeFailed = (failed: Awaited<ReturnType<typeof listFailedJobs>>): Verdict => {
  const list = failed.slice(0, mostListed).map(({ name, jobs }) => `${name} (${jobs})`);
  return warning(
    `jobs were given up in the last day: ${list.join(', ')}`,
    "Look in the workers' log for these names: each failure is there with its reason.",
  );
};

const minutes = (seconds: number): string => `${Math.round(seconds / 60)} min`;

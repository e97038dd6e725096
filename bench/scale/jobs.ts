import { z } from 'zod';
import { createPlanTable } from '../../apps/server/src/features/plans/rules.ts';
import { protection } from '../../apps/server/src/features/protection/feature.ts';
import { createLogMailer } from '../../apps/server/src/integrations/mailer.ts';
import { systemClock } from '../../apps/server/src/kernel/clock.ts';
import { createMetrics } from '../../apps/server/src/kernel/metrics.ts';
import { createJobs } from '../../apps/server/src/main/jobs.ts';
import { cdnUrlOf } from '../../apps/server/src/platform/client/urls.ts';
import { createPlatformMetrics } from '../../apps/server/src/platform/metrics.ts';
import { createPlatformOAuth } from '../../apps/server/src/platform/oauth/oauth.ts';
import { createPlatform } from '../../apps/server/src/platform/platform.ts';
import type { Job } from '../../apps/server/src/queue/job.ts';
import type { Lease } from '../../apps/server/src/queue/lease/lease.ts';
import {
  plansWithoutRateLimit,
  type TestService,
  testBilling,
} from '../../apps/server/test/harness/service.ts';
import { sharedSimulator } from '../../apps/server/test/harness/simulator/start.ts';
import type { PlanLog, Ran } from './plan-log.ts';

/** A statement of a job, and how often it ran. */
export type JobStatement = {
  statement: string;
  times: number;
  /** On average. */
  ms: number;
  rows: number;
  pages: number;
  scanned: string[];
};
export type TimedJob = { name: string; statements: JobStatement[]; error: string | undefined };

/** A job that finds much to do is stopped then: what it does by then says enough. */
const longestMs = 30_000;
const repeats = 3;
const purge = 'servers.purge';
/** They delete an account. */
const untouched = new Set(['account.purge', 'account.finish']);

const jobsOf = async ({ db, ring, blobs, aside, queue, log }: TestService): Promise<Job[]> => {
  const { apiUrl } = await sharedSimulator();
  const { registry } = createMetrics();
  const metrics = createPlatformMetrics(registry);
  return createJobs({
    ...{ db, ring, blobs, aside, queue, log, clock: systemClock, runsDrills: true },
    platform: createPlatform({ apiUrl, cdnUrl: cdnUrlOf(apiUrl), metrics, firstBackOffMs: 20 }),
    oauth: createPlatformOAuth({ apiUrl, metrics }),
    plans: createPlanTable(plansWithoutRateLimit),
    billing: testBilling,
    mailer: createLogMailer(log),
    baseUrl: 'http://localhost:3000',
    pay: { card: undefined, crypto: undefined },
    protectionMetrics: protection.createMetrics(registry),
  });
};

const lease: Lease = {
  fence: 1,
  isHeld: () => true,
  transaction: (db, work) => db.transaction(work),
};

const fields = z.looseObject({ shape: z.record(z.string(), z.unknown()) });

/** Its ids, or undefined where it asks for something else. */
const payloadOf = ({ payload }: Job, ids: Record<string, string>): object | undefined => {
  const names = Object.keys(fields.parse(payload).shape);
  const parsed = payload.safeParse(Object.fromEntries(names.map((name) => [name, ids[name]])));
  return parsed.data;
};

/** Every job that there is: those that run by the clock first, those that are queued with the ids that are given. */
export const timeJobs = async (
  { service, log }: { service: TestService; log: PlanLog },
  ids: Record<string, string>,
  doomedServerId: string,
  onSkipped: (what: string) => void,
): Promise<TimedJob[]> => {
  const timed: TimedJob[] = [];
  const jobs = await jobsOf(service);
  for (const job of jobs.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const given = job.name === purge ? { ...ids, serverId: doomedServerId } : ids;
    const payload = untouched.has(job.name) ? undefined : payloadOf(job, given);
    if (payload) timed.push(await time(log, job, payload));
    else onSkipped(job.name);
  }
  return timed;
};

/** What deletes comes last. */
const rankOf = ({ name, cron }: Job): number => {
  if (name === purge) return 2;
  return cron === undefined ? 1 : 0;
};

const time = async (log: PlanLog, job: Job, payload: object): Promise<TimedJob> => {
  const ran: Ran[] = [];
  let error: string | undefined;
  for (let i = 0; i < repeats; i++) {
    const run = () => job.run(payload, AbortSignal.timeout(longestMs), lease);
    const noteError = (reason: unknown) => {
      error = String(reason).split('\n')[0];
    };
    ran.push(...(await log.during(() => run().catch(noteError))));
  }
  const byStatement = Map.groupBy(ran, ({ statement }) => statement);
  return { name: job.name, error, statements: [...byStatement.values()].map(summarize) };
};

const summarize = (runs: Ran[]): JobStatement => {
  const averageOf = (costOf: (run: Ran) => number) =>
    runs.reduce((sum, run) => sum + costOf(run), 0) / runs.length;
  return {
    statement: runs[0]?.statement ?? '',
    times: runs.length,
    ms: averageOf(({ ms }) => ms),
    rows: averageOf(({ rows }) => rows),
    pages: averageOf(({ pages }) => pages),
    scanned: [...new Set(runs.flatMap(({ scanned }) => scanned))],
  };
};

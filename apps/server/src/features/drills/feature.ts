import { jobEntry } from '../../queue/job.ts';
import { runDrills, runDrillsJob, scheduleDrills, scheduleDrillsJob } from './jobs.ts';
import { drillHandlers } from './routes.ts';

/**
 * Fire drills: a scripted attacker in a copy of a server, to measure how soon protection stops them, what
 * they destroy before that, and how long its repair takes. Nothing of a drill reaches the server itself,
 * its incidents or its alerts.
 *
 * - `copy/`: the last good backup without people (`without-people`), the attacker's role (`cast-attacker`)
 *   and both as a state of the simulator (`plan-copy`, `simulator-state`).
 * - `rehearse/`: starts a simulator of its own (`rehearse`), attacks the copy (`attack`), watches and stops
 *   with the rules and calls of protection (`watch-copy`), repairs the damage (`repair-copy`), and records
 *   what was measured (`run-drill`).
 * - `rules.ts`: what the outcomes mean, in sentences, and how soon there may be another drill.
 * - `jobs.ts`: one drill, and the drills that begin by themselves once a month.
 */
export const drills = {
  dashboardHandlers: drillHandlers,
  jobs: [jobEntry(runDrills, runDrillsJob), jobEntry(scheduleDrills, scheduleDrillsJob)],
};

import { jobEntry } from '../../queue/job.ts';
import { expirePullMembers, expirePullMembersJob, runPull, runPullJob } from './jobs.ts';
import { purgePulls } from './queries/purge.ts';
import {
  refreshRecall,
  refreshRecallJob,
  refreshRecalls,
  refreshRecallsJob,
} from './recall/jobs.ts';
import { rewrapRecalls } from './recall/sealed-code.ts';
import { pullDashboardHandlers, pullHandlers } from './routes.ts';

/**
 * Pulls: add the members of a server who consented to a guild, with the tokens they gave.
 *
 * - `routes.ts` creates a pull, if the cooldown of the account's plan is over (`queries/cooldown.ts`).
 * - `select/` stores which members the pull adds, one row each.
 * - `run/` adds them: `execute.ts` is the whole run, `bot-access.ts` checks the bot first,
 *   `pull-members.ts` goes through the members, `pull-member.ts` is one member's attempt,
 *   `decide-attempt.ts` what is allowed at the moment of the call, `add-member.ts` the call itself.
 *   `watch.ts` notices a cancellation, `outage.ts` waits while the platform is silent.
 * - `roles/` gives members back what a backup has of them: `read-roles.ts` stores it for the members of
 *   the pull, `map-roles.ts` decides which roles of the target they are, `giving.ts` keeps that current.
 * - `overwrites/` gives them back what channels allowed or denied them alone (`give-overwrites.ts`), by a plan that opens
 *   nothing (`plan-overwrites.ts`).
 * - `recall/` is the invite for members whose token is invalid: `ensure-recall.ts` creates it,
 *   `jobs.ts` takes people out of it who must not use it any more, `end-powerful.ts` ends it where its
 *   role has become dangerous.
 * - `rules.ts` has the states of a pull and the results of a member.
 */
export const pulls = {
  handlers: pullHandlers,
  dashboardHandlers: pullDashboardHandlers,
  jobs: [
    jobEntry(runPull, runPullJob),
    jobEntry(expirePullMembers, expirePullMembersJob),
    jobEntry(refreshRecall, refreshRecallJob),
    jobEntry(refreshRecalls, refreshRecallsJob),
  ],
  purgeServer: [purgePulls],
  rewrap: rewrapRecalls,
};

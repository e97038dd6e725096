import { jobEntry } from '../../queue/job.ts';
import { checkTokens, checkTokensJob } from './jobs.ts';
import { memberDashboardHandlers, memberHandlers } from './routes.ts';

/**
 * The members of a server: people who verified for it. `verification` writes them, `me` and `pulls`
 * change the consent and the status of their tokens.
 *
 * - `queries/list.ts`: the list and the search, which start at the right day by daily counts;
 *   `queries/sorted.ts`: the same in other orders, for the dashboard.
 * - `queries/verified.ts`: what a verification writes. `queries/person.ts`: all of one person.
 * - `queries/seen.ts`: who left and who came back, and what they had, for `rejoins`.
 * - `queries/lost.ts`: who is gone from the guild since a time, for the page that recovers a server.
 * - `rules.ts`: how names are folded for the search, and when too many tokens are revoked.
 * - `jobs.ts`: raises an alert when they are.
 * - `seed/`: generated members, for trials and measurements.
 */
export const members = {
  handlers: memberHandlers,
  dashboardHandlers: memberDashboardHandlers,
  jobs: [jobEntry(checkTokens, checkTokensJob)],
};

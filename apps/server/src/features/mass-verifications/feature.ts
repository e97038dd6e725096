import { jobEntry } from '../../queue/job.ts';
import { runMassVerification, runMassVerificationJob } from './jobs.ts';
import { purgeMassVerifications } from './queries.ts';
import { massVerificationDashboardHandlers, massVerificationHandlers } from './routes.ts';

/**
 * Mass verifications: the verified role for members who were in the guild before the verification was
 * set up. Nothing is stored about them: they consented to nothing.
 *
 * - `routes.ts`, `queries.ts`, `table.ts`: one job, at most one under way for a server.
 * - `run/`: `execute.ts` is the whole run, `open-guild.ts` checks the bot and the role first,
 *   `count-members.ts` counts those who pass the filter, `give-roles.ts` gives them the role one by one,
 *   `patience.ts` waits while the platform does not answer.
 *   `preview.ts` counts the first of them for the dashboard.
 * - `rules.ts`: its states, the filter, and what keeps the bot from giving the role.
 */
export const massVerifications = {
  handlers: massVerificationHandlers,
  dashboardHandlers: massVerificationDashboardHandlers,
  jobs: [jobEntry(runMassVerification, runMassVerificationJob)],
  purgeServer: [purgeMassVerifications],
};

import { jobEntry } from '../../queue/job.ts';
import { rollUpAttempts, rollUpAttemptsJob } from './jobs.ts';
import { purgeAnalytics } from './queries.ts';
import { analyticsHandlers } from './routes.ts';

/**
 * Analytics: how many verification attempts a server had, how far they came and why they were blocked.
 *
 * - `jobs.ts`: counts attempts by hour once they do not change any more (the roll-up), and has
 *   verification delete the attempts that are counted and old.
 * - `queries.ts`: adds the counted hours and the attempts since, in one statement.
 * - `rules.ts`: periods, buckets, and the numbers of the answer.
 */
export const analytics = {
  handlers: analyticsHandlers,
  jobs: [jobEntry(rollUpAttempts, rollUpAttemptsJob)],
  purgeServer: [purgeAnalytics],
};

import { jobEntry } from '../../queue/job.ts';
import { finishAccount, finishAccountJob, purgeAccount, purgeAccountJob } from './jobs.ts';
import { accountDeletionHandlers } from './routes.ts';

/**
 * Deletes an account, in three stages:
 *
 *   routes.ts            `deleteAccount` ends access, payments and servers in one transaction
 *   jobs.ts, purge       revokes tokens, purges servers, and erases listings, templates and the audit log
 *   jobs.ts, finish      waits until everything is purged, then deletes bots and the hash key
 *
 * It is above all other features and calls their queries: only a feature writes its own tables.
 */
export const accountDeletion = {
  handlers: accountDeletionHandlers,
  jobs: [jobEntry(purgeAccount, purgeAccountJob), jobEntry(finishAccount, finishAccountJob)],
};

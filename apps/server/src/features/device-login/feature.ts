import { jobEntry } from '../../queue/job.ts';
import { expireAuthorizations, expireAuthorizationsJob } from './jobs.ts';
import { mountOAuth } from './oauth/mount-oauth.ts';
import { deviceLoginHandlers } from './routes.ts';

/**
 * Login by device code (RFC 8628): a program without a browser asks for a key, and its owner approves that
 * in the dashboard.
 *
 *   oauth/      the two endpoints that the program calls: `mount-oauth.ts` reads and answers requests,
 *               `begin.ts` draws the codes, `redeem.ts` makes the key
 *   routes.ts   what the page does: find by code, approve, deny
 *   rules.ts    the states, the codes, and the answers to polls
 */
export const deviceLogin = {
  mount: mountOAuth,
  dashboardHandlers: deviceLoginHandlers,
  jobs: [jobEntry(expireAuthorizations, expireAuthorizationsJob)],
};

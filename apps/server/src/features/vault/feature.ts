import { jobEntry } from '../../queue/job.ts';
import { refreshDueTokens, refreshDueTokensJob, revokeTokens, revokeTokensJob } from './jobs.ts';
import { rewrapTokens } from './tokens/rewrap.ts';

/**
 * The OAuth tokens that members gave with their consent to recovery. They are sealed, refreshed before
 * they expire, and revoked when the consent ends.
 *
 * - `tokens/store.ts`: stores what a person gave.
 * - `tokens/refresh.ts`: gives a usable token, and refreshes it by one process at a time.
 * - `tokens/delete.ts`: deletes tokens and has them revoked at the platform.
 * - `tokens/sealed.ts`, `tokens/rewrap.ts`: how tokens are sealed, and sealed again under a new key.
 * - `jobs.ts`: refreshes due tokens, revokes deleted ones. `rules.ts`: when.
 */
export const vault = {
  jobs: [jobEntry(refreshDueTokens, refreshDueTokensJob), jobEntry(revokeTokens, revokeTokensJob)],
  rewrap: rewrapTokens,
};

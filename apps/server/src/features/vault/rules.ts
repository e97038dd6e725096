/**
 * The states of a token: valid, due (refreshed in the second half of its life), expired, revoked (its row
 * is deleted). Refreshes are spread over days, so that they are not due all at once.
 *
 * A refresh makes the old pair worthless the moment the platform answers. So each person's tokens are
 * refreshed by one process at a time, which stores the new pair before anything else, and only the
 * platform's answer that the grant is revoked deletes a row. A worker that dies between answer and
 * commit loses the new pair: the next refresh is refused, and the person has to verify again.
 */

const earliestShare = 0.5;
const latestShare = 0.85;

/** In the second half of the token's life, but never in its last seventh. */
export const refreshMoment = (now: Date, expiresAt: Date, random: number): Date => {
  const lifeMs = Math.max(0, expiresAt.getTime() - now.getTime());
  const share = earliestShare + random * (latestShare - earliestShare);
  return new Date(now.getTime() + lifeMs * share);
};

/** A token this close to its expiry may be expired when the platform receives it. */
const shortestUseMs = 30_000;

export const isUsable = (expiresAt: Date, now: Date): boolean =>
  expiresAt.getTime() - now.getTime() > shortestUseMs;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Temporary failures are retried soon, but not sooner than the platform asks for. */
export const pauseAfterFailure = (retryAfterMs = 0): number => Math.max(minuteMs, retryAfterMs);

/**
 * What only the bot's owner or the operator can repair is retried a few times a day: the platform
 * counts refusals by address, and all accounts share ours.
 */
export const longPauseMs = 6 * hourMs;

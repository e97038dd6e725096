/**
 * A person's tokens are kept alive, not merely kept: they are refreshed well before they expire, at
 * moments spread over days, so that neither we nor the platform see everybody at once.
 *
 * A refresh makes the old pair worthless the moment the platform answers. So: one at a time for each
 * person, the new pair is stored before anything else, and only the platform's word that the grant
 * is gone revokes. A worker that dies between answer and commit loses the new pair; the next refresh
 * is then refused, and the person is asked to verify again. Nothing is tried for ever.
 */

const earliestShare = 0.5;
const latestShare = 0.85;

/** Somewhere in the later half of the token's life, but never in its last seventh. */
export const refreshMoment = (now: Date, expiresAt: Date, random: number): Date => {
  const lifeMs = Math.max(0, expiresAt.getTime() - now.getTime());
  const share = earliestShare + random * (latestShare - earliestShare);
  return new Date(now.getTime() + lifeMs * share);
};

/** A token this close to its end may be over by the time it arrives. */
const shortestUseMs = 30_000;

export const isUsable = (expiresAt: Date, now: Date): boolean =>
  expiresAt.getTime() - now.getTime() > shortestUseMs;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A failure that may pass is tried again soon, but not sooner than the platform asks for. */
export const pauseAfterFailure = (retryAfterMs = 0): number => Math.max(minuteMs, retryAfterMs);

/**
 * What only the bot's owner or the operator can mend is tried a few times a day: all accounts share
 * our address, and the platform counts the refusals.
 */
export const longPauseMs = 6 * hourMs;

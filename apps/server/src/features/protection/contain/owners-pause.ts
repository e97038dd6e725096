/** A pause of invites that protection made, and what the owner of the guild had set when it did. */
export type MadePause = { until: Date; before: Date | null };

/** The platform may keep a moment less exactly than it was told. */
const toleranceMs = 1000;

/**
 * Until when the owner wants invites paused, as far as it is known: the pause that is in effect, or what was
 * there before it where that one is ours. A pause that has ended is none.
 */
export const ownersPause = (
  inEffect: Date | undefined,
  made: readonly MadePause[],
  now: Date,
): Date | null => {
  const ours = inEffect && made.find(({ until }) => isSame(until, inEffect));
  const wanted = ours ? ours.before : inEffect;
  return wanted && wanted > now ? wanted : null;
};

const isSame = (one: Date, other: Date): boolean =>
  Math.abs(one.getTime() - other.getTime()) < toleranceMs;

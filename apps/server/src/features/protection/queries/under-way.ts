import { type Column, type SQL, sql } from 'drizzle-orm';

/** The platform's clock and ours may differ by so much. */
const skew = sql`interval '30 seconds'`;

/**
 * Whether something lasted at a moment that the platform tells. Null as its end: it lasts still. It does
 * not matter when we hear of it: after a while without a connection that can be hours later.
 */
export const wasUnderWay = (
  { from, until }: { from: Column | SQL; until: Column | SQL },
  at: Date,
): SQL => {
  const moment = sql`${at.toISOString()}::timestamptz`;
  return sql`(${from} <= ${moment} + ${skew} and (${until} is null or ${until} >= ${moment} - ${skew}))`;
};

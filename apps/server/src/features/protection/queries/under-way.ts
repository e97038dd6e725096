import { type Column, type SQL, sql } from 'drizzle-orm';

/** The platform's clock and ours may differ by so much. */
const skew = sql`interval '30 seconds'`;

/**
 * Whether something lasted at a moment that the platform tells, or at that of a row. Null as its end: it lasts still. It does
 * not matter when we hear of it: after a while without a connection that can be hours later.
 */
export const wasUnderWay = (
  { from, until }: { from: Column | SQL; until: Column | SQL },
  at: Date | Column,
): SQL => {
  const moment = at instanceof Date ? sql`${at.toISOString()}::timestamptz` : sql`${at}`;
  return sql`(${from} <= ${moment} + ${skew} and (${until} is null or ${until} >= ${moment} - ${skew}))`;
};

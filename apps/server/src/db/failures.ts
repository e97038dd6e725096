import { SQL } from 'bun';
import { DrizzleQueryError } from 'drizzle-orm';

/** The constraint that refused a statement, if that is why it failed. */
export const violatedConstraint = (error: unknown): string | undefined => {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  if (!(cause instanceof SQL.PostgresError)) return undefined;
  return cause.errno?.startsWith('23') ? cause.constraint : undefined;
};

import { SQL } from 'bun';
import { DrizzleQueryError } from 'drizzle-orm';

const causeOf = (error: unknown): unknown =>
  error instanceof DrizzleQueryError ? error.cause : error;

/** The constraint that refused a statement, if that is why it failed. */
export const violatedConstraint = (error: unknown): string | undefined => {
  const cause = causeOf(error);
  if (!(cause instanceof SQL.PostgresError)) return undefined;
  return cause.errno?.startsWith('23') ? cause.constraint : undefined;
};

/** Whether the database failed, or the way to it: the same work may well succeed a little later. */
export const isDatabaseFailure = (error: unknown): boolean => {
  const cause = causeOf(error);
  return error instanceof DrizzleQueryError || cause instanceof SQL.SQLError;
};

const permissionDenied = '42501';

/** Whether the role lacks a right: the one that we connected as, whichever driver says so. */
export const isPermissionDenied = (error: unknown): boolean => {
  const cause = causeOf(error);
  if (cause instanceof SQL.PostgresError) return cause.errno === permissionDenied;
  return cause instanceof Error && 'code' in cause && cause.code === permissionDenied;
};

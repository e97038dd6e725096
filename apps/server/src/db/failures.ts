import { SQL } from 'bun';
import { DrizzleQueryError } from 'drizzle-orm';

const causeOf = (error: unknown): unknown =>
  error instanceof DrizzleQueryError ? error.cause : error;

/** The database is known not to answer: nothing was sent to it. */
export class DatabaseUnreachable extends Error {
  constructor() {
    super('The database does not answer');
    this.name = 'DatabaseUnreachable';
  }
}

/** PostgreSQL's code for why a statement failed, such as 23505, if it was PostgreSQL that said so. */
export const sqlStateOf = (error: unknown): string | undefined => {
  const cause = causeOf(error);
  return cause instanceof SQL.PostgresError ? cause.errno : undefined;
};

/** The constraint that refused a statement, if that is why it failed. */
export const violatedConstraint = (error: unknown): string | undefined => {
  const cause = causeOf(error);
  if (!(cause instanceof SQL.PostgresError)) return undefined;
  return cause.errno?.startsWith('23') ? cause.constraint : undefined;
};

const serializationFailure = '40001';
const deadlockDetected = '40P01';

/** The transaction was rolled back in favour of another: run again, it may well succeed. */
export const isLostToAnother = (error: unknown): boolean =>
  [serializationFailure, deadlockDetected].includes(sqlStateOf(error) ?? '');

/** Whether the database failed, or the way to it: the same work may well succeed a little later. */
export const isDatabaseFailure = (error: unknown): boolean => {
  const cause = causeOf(error);
  return (
    error instanceof DrizzleQueryError ||
    cause instanceof SQL.SQLError ||
    cause instanceof DatabaseUnreachable
  );
};

const permissionDenied = '42501';

/** Whether the role lacks a right: the one that we connected as, whichever driver says so. */
export const isPermissionDenied = (error: unknown): boolean => {
  const cause = causeOf(error);
  if (cause instanceof SQL.PostgresError) return cause.errno === permissionDenied;
  return cause instanceof Error && 'code' in cause && cause.code === permissionDenied;
};

const queryCancelled = '57014';

/** Whether a statement was ended because its time was up. */
export const isCancelledStatement = (error: unknown): boolean => {
  const cause = causeOf(error);
  return cause instanceof SQL.PostgresError && cause.errno === queryCancelled;
};

/** Whether the connection ended before the answer came: nobody knows what became of the statement. */
export const isConnectionLost = (error: unknown): boolean => {
  const cause = causeOf(error);
  return cause instanceof SQL.SQLError && 'code' in cause && lossCodes.includes(String(cause.code));
};

const lossCodes = ['ERR_POSTGRES_CONNECTION_CLOSED', 'ERR_POSTGRES_CONNECTION_TIMEOUT'];

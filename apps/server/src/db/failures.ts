import { SQL } from 'bun';
import { DrizzleQueryError } from 'drizzle-orm';
import { errorCode } from '../kernel/describe-error.ts';

/** What a statement failed by, without the parameters that drizzle adds. */
export const causeOf = (error: unknown): unknown =>
  error instanceof DrizzleQueryError ? error.cause : error;

/** The database is known not to answer: nothing was sent to it. */
export class DatabaseUnreachable extends Error {
  constructor() {
    super('The database does not answer');
    this.name = 'DatabaseUnreachable';
  }
}

/** PostgreSQL's code (SQLSTATE) for why a statement failed, such as 23505. */
const sqlStateOf = (error: unknown): string | undefined => {
  const cause = causeOf(error);
  return cause instanceof SQL.PostgresError ? cause.errno : undefined;
};

/** The constraint that a statement violated, if that is why it failed. */
export const violatedConstraint = (error: unknown): string | undefined => {
  const cause = causeOf(error);
  if (!(cause instanceof SQL.PostgresError)) return undefined;
  return cause.errno?.startsWith('23') ? cause.constraint : undefined;
};

/** A value that the database does not accept, or a constraint that it violates: repeating is useless. */
const isRefusedValue = (error: unknown): boolean => /^2[23]/.test(sqlStateOf(error) ?? '');

const serializationFailure = '40001';
const deadlockDetected = '40P01';

/** The transaction was aborted in favour of another: repeated, it may succeed. */
export const isTransactionConflict = (error: unknown): boolean =>
  [serializationFailure, deadlockDetected].includes(sqlStateOf(error) ?? '');

/** The database or the connection failed: the same work may succeed later. */
export const isDatabaseFailure = (error: unknown): boolean => {
  const cause = causeOf(error);
  return (
    error instanceof DrizzleQueryError ||
    cause instanceof SQL.SQLError ||
    cause instanceof DatabaseUnreachable
  );
};

/** The work itself is at fault: the same work will fail again. */
export const isPermanentFailure = (error: unknown): boolean =>
  !isDatabaseFailure(error) || isRefusedValue(error);

const permissionDenied = '42501';

/** The role that we connected as lacks a privilege; both drivers are understood. */
export const isPermissionDenied = (error: unknown): boolean => {
  const cause = causeOf(error);
  if (cause instanceof SQL.PostgresError) return cause.errno === permissionDenied;
  return errorCode(cause) === permissionDenied;
};

const queryCancelled = '57014';

/** The statement was cancelled by its time-out. */
export const isCancelledStatement = (error: unknown): boolean =>
  sqlStateOf(error) === queryCancelled;

const lockNotAvailable = '55P03';

/** The statement waited for a lock for longer than it may. */
export const isLockTimeout = (error: unknown): boolean => sqlStateOf(error) === lockNotAvailable;

/** The connection ended before the answer: the statement may or may not have taken effect. */
export const isConnectionLost = (error: unknown): boolean => {
  const cause = causeOf(error);
  return cause instanceof SQL.SQLError && lossCodes.includes(errorCode(cause) ?? '');
};

const lossCodes = ['ERR_POSTGRES_CONNECTION_CLOSED', 'ERR_POSTGRES_CONNECTION_TIMEOUT'];

/**
 * The database was away before it could take the statement, or ended it, mostly because of a lock that
 * another process held for too long: certainly nothing was changed.
 */
export const isRefusedUnchanged = (error: unknown): boolean => {
  const cause = causeOf(error);
  return (
    cause instanceof DatabaseUnreachable ||
    isReadOnly(cause) ||
    isCancelledStatement(cause) ||
    isLockTimeout(cause) ||
    isTransactionConflict(cause) ||
    connectionRefusals.includes(sqlStateOf(cause) ?? '') ||
    (cause instanceof SQL.SQLError && errorCode(cause) === 'ERR_POSTGRES_CONNECTION_REFUSED')
  );
};

/** It starts or ends (57P03), or has no connection left (53300): the statement was never sent. */
const connectionRefusals = ['57P03', '53300'];
const readOnlyTransaction = '25006';

/** The server takes no writes: it is a standby now. Nothing was changed. */
export const isReadOnly = (error: unknown): boolean => sqlStateOf(error) === readOnlyTransaction;

/** The server ends, starts or became a standby (57P01 to 57P03, 25006), or the connection to it broke (class 08). */
export const isPrimaryLost = (error: unknown): boolean => {
  const cause = causeOf(error);
  if (!(cause instanceof SQL.SQLError)) return false;
  return (
    isReadOnly(cause) ||
    /^(08|57P0[1-3])/.test(sqlStateOf(cause) ?? '') ||
    (errorCode(cause) ?? '').startsWith('ERR_POSTGRES_CONNECTION_')
  );
};

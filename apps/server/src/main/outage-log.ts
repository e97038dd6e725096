import { isDatabaseFailure } from '../db/failures.ts';
import type { Log } from '../kernel/log.ts';

/** The first summary comes soon, the next ones ever later: an outage of an hour is a page, not a book. */
const firstSummaryMs = 1000;
const longestPauseMs = 60_000;
/** A line that is longer than this is of no use to anybody. */
const mostRequestIds = 1000;

type Fields = { err?: unknown; requestId?: string };

export type OutageLog = {
  /** The log to give to whoever fails for want of the database. */
  log: Log;
  onChange(isReachable: boolean): void;
  stop(): void;
};

/**
 * During an outage of the database everything that needs it fails, each request and each worker's every
 * attempt. Those failures are counted, and told together from time to time: how often each happened, and
 * the ids of the requests that were answered with 500. Everything else is logged as always.
 */
export const createOutageLog = (log: Log): OutageLog => {
  let brokenAt: number | undefined;
  let failures = new Map<string, number>();
  let requestIds: string[] = [];
  let pauseMs = firstSummaryMs;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const summarize = () => {
    clearTimeout(timer);
    timer = undefined;
    if (failures.size === 0) return;
    const counted = { failures: Object.fromEntries(failures), requestIds };
    failures = new Map();
    requestIds = [];
    log.warn(counted, 'failed because the database does not answer');
  };
  const summarizeLater = () => {
    timer ??= setTimeout(() => {
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      summarize();
    }, pauseMs).unref();
  };
  const isHeldBack = ([fields, message]: unknown[]): boolean => {
    if (brokenAt === undefined || typeof fields !== 'object' || fields === null) return false;
    const { err, requestId }: Fields = fields;
    if (!isWantOfDatabase(err)) return false;
    const what = String(message);
    failures.set(what, (failures.get(what) ?? 0) + 1);
    if (requestId !== undefined) requestIds.push(requestId);
    if (requestIds.length >= mostRequestIds) summarize();
    else summarizeLater();
    return true;
  };
  const unlessHeldBack =
    (level: 'warn' | 'error') =>
    (...args: unknown[]): void => {
      if (!isHeldBack(args)) Reflect.apply(log[level], log, args);
    };

  return {
    log: Object.create(log, {
      warn: { value: unlessHeldBack('warn') },
      error: { value: unlessHeldBack('error') },
    }),
    onChange(isReachable) {
      if (isReachable === (brokenAt === undefined)) return;
      if (!isReachable) {
        brokenAt = performance.now();
        log.error('the database does not answer; requests are refused until it does');
        return;
      }
      summarize();
      const seconds = Math.round((performance.now() - (brokenAt ?? 0)) / 1000);
      brokenAt = undefined;
      pauseMs = firstSummaryMs;
      log.warn({ seconds }, 'the database answers again');
    },
    stop: summarize,
  };
};

const networkCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'];

/** Whichever driver says so: the queue's own has errors of its own, not all of which are an `Error`. */
const isWantOfDatabase = (error: unknown): boolean => {
  if (isDatabaseFailure(error)) return true;
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, errors }: { code?: unknown; message?: unknown; errors?: unknown } = error;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isWantOfDatabase);
  // Class 57P: the server is shutting down, or starting up.
  if (networkCodes.includes(String(code)) || String(code).startsWith('57P')) return true;
  return /^(connection terminated|timeout exceeded|query read timeout)/i.test(String(message));
};

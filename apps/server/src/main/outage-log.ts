import { isDatabaseFailure } from '../db/failures.ts';
import type { Log } from '../kernel/log.ts';

/** The first summary comes soon, the next ones less and less often. */
const firstSummaryMs = 1000;
const longestPauseMs = 60_000;
/** Keeps the log line at a useful length. */
const mostRequestIds = 1000;

type Fields = { err?: unknown; requestId?: string };

type OutageLog = {
  /** For everything that can fail because the database is unreachable. */
  log: Log;
  onChange(isReachable: boolean): void;
  stop(): void;
};

/**
 * During an outage of the database every request and every attempt of a worker fails. These failures are
 * counted and logged together from time to time: how often each happened, and the ids of the requests that
 * were answered with 500. Everything else is logged as usual.
 */
export const createOutageLog = (log: Log): OutageLog => {
  let unreachableSince: number | undefined;
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
  const isSuppressed = ([fields, message]: unknown[]): boolean => {
    if (unreachableSince === undefined || typeof fields !== 'object' || fields === null)
      return false;
    const { err, requestId }: Fields = fields;
    if (!isOutage(err)) return false;
    const what = String(message);
    failures.set(what, (failures.get(what) ?? 0) + 1);
    if (requestId !== undefined) requestIds.push(requestId);
    if (requestIds.length >= mostRequestIds) summarize();
    else summarizeLater();
    return true;
  };
  const unlessSuppressed =
    (level: 'warn' | 'error') =>
    (...args: unknown[]): void => {
      if (!isSuppressed(args)) Reflect.apply(log[level], log, args);
    };

  return {
    log: Object.create(log, {
      warn: { value: unlessSuppressed('warn') },
      error: { value: unlessSuppressed('error') },
    }),
    onChange(isReachable) {
      if (isReachable === (unreachableSince === undefined)) return;
      if (!isReachable) {
        unreachableSince = performance.now();
        log.error('the database does not answer; requests are refused until it does');
        return;
      }
      summarize();
      const seconds = Math.round((performance.now() - (unreachableSince ?? 0)) / 1000);
      unreachableSince = undefined;
      pauseMs = firstSummaryMs;
      log.warn({ seconds }, 'the database answers again');
    },
    stop: summarize,
  };
};

const networkCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'];

/** Recognizes errors of both drivers: the queue's driver also throws values that are no `Error`. */
const isOutage = (error: unknown): boolean => {
  if (isDatabaseFailure(error)) return true;
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, errors }: { code?: unknown; message?: unknown; errors?: unknown } = error;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isOutage);
  // Class 57P: the server is shutting down, or starting up.
  if (networkCodes.includes(String(code)) || String(code).startsWith('57P')) return true;
  return /^(connection terminated|timeout exceeded|query read timeout)/i.test(String(message));
};

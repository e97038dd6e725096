import { withinTime } from '../client/abortable.ts';

/** A connection on which nothing happens is closed after ten seconds: before that the page must be sent. */
const patienceMs = 7000;

/**
 * Calls to the platform that a person waits for in front of a page. After a few seconds they fail as
 * `unreachable`, and the signal tells the work that nobody waits for its result any more.
 */
export const whilePersonWaits = <Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => withinTime(patienceMs, work);

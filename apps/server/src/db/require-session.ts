import { randomInt } from 'node:crypto';
import { DeadlinePassed, withinDeadline } from '../kernel/deadline.ts';
import { closeDatabase, connectDatabase, type Database, patientConnectSeconds } from './connect.ts';
import { markTransactionPooled } from './database-url.ts';
import { isProbeLockTaken, readSession, takeProbeLock } from './queries.ts';

const tries = 3;
const answerWithinMs = patientConnectSeconds * 1000;
const longestTimeoutMs = 5000;

/**
 * Refuses a pooler that breaks what needs a session: advisory locks and notifications belong to one, so a
 * connection must keep its session between two statements. And the statement time-out must hold, which a
 * pooler may drop.
 */
export const requireSession = (url: string): Promise<void> =>
  withTwoConnections([url, url], async (ours, other) => {
    if (await isTransactionMode(ours, other)) {
      throw new Error(
        'A pooler in transaction mode answers, and migrations and notifications need a session: set DATABASE_DIRECT_URL to the address of PostgreSQL itself beside DATABASE_URL, or pool_mode = session for this database.',
      );
    }
    await requireTimeout(ours);
  });

/**
 * The address that requests and jobs use where DATABASE_DIRECT_URL is set beside it. Behind a pooler in
 * transaction mode it is marked as such, so that every connection to it leaves nothing in its session:
 * no prepared statements, no settings. The time-outs must then come from the role.
 */
export const adaptToPooler = async (url: string, directUrl: string): Promise<string> => {
  if (url === directUrl) return url;
  const marked = markTransactionPooled(url);
  const isPooled = await withTwoConnections([marked, marked], async (ours, other) => {
    const isFound = await isTransactionMode(ours, other);
    if (isFound) await requireTimeout(ours);
    return isFound;
  });
  if (!isPooled) await requireSession(url);
  await withTwoConnections([isPooled ? marked : url, directUrl], requireSameDatabase);
  return isPooled ? marked : url;
};

/** The same address, marked where a pooler in transaction mode answers at it; a standby's too. */
export const markPooler = (url: string): Promise<string> => {
  const marked = markTransactionPooled(url);
  return withTwoConnections([marked, marked], async (ours, other) =>
    (await isTransactionMode(ours, other)) ? marked : url,
  );
};

type Probe<Result> = (ours: Database, other: Database) => Promise<Result>;

const withTwoConnections = async <Result>(
  urls: [string, string],
  probe: Probe<Result>,
): Promise<Result> => {
  const connect = (url: string) =>
    connectDatabase(url, {
      ...{ name: 'holdfast-probe', poolSize: 1, leastConnectSeconds: patientConnectSeconds },
    });
  const [ours, other] = [connect(urls[0]), connect(urls[1])];
  try {
    return await withinDeadline({ ms: answerWithinMs, lastMs: answerWithinMs }, () =>
      probe(ours, other),
    );
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error;
    throw new Error(
      `The database, or the pooler before it, did not answer within ${answerWithinMs / 1000} s`,
    );
  } finally {
    await Promise.all([closeDatabase(ours), closeDatabase(other)]);
  }
};

const isTransactionMode: Probe<boolean> = async (ours, other) => {
  const { pid } = await readSession(ours.$client);
  for (let tried = 0; tried < tries; tried++) {
    // In transaction mode the other client's transaction gets the server connection just used.
    const now = await other.$client.begin(async (tx) => {
      await readSession(tx);
      return readSession(ours.$client);
    });
    if (now.pid !== pid) return true;
  }
  return false;
};

const requireTimeout = async (db: Database): Promise<void> => {
  const { timeoutMs } = await readSession(db.$client);
  if (timeoutMs > 0 && timeoutMs <= longestTimeoutMs) return;
  throw new Error(
    'The pooler in DATABASE_URL drops statement_timeout, so no statement would ever end: run "alter role … set statement_timeout = \'4s\'" and "alter role … set idle_in_transaction_session_timeout = \'60s\'" for the role in DATABASE_URL, then reconnect the pooler.',
  );
};

const largestKey = 2 ** 47;

/** An advisory lock is known only within its database, so it tells two of the same name apart. */
const requireSameDatabase: Probe<void> = async (pooled, direct) => {
  const key = randomInt(largestKey);
  const isSame = await direct.$client.begin(async (tx) => {
    await takeProbeLock(tx, key);
    return isProbeLockTaken(pooled.$client, key);
  });
  if (isSame) return;
  throw new Error(
    'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases: the second must be the way to the same one without the pooler.',
  );
};

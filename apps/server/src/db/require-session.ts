import { DeadlinePassed, withinDeadline } from '../kernel/deadline.ts';
import { closeDatabase, connectDatabase, type Database, patientConnectSeconds } from './connect.ts';
import { readSession } from './queries.ts';

const tries = 3;
const answerWithinMs = patientConnectSeconds * 1000;
const longestTimeoutMs = 5000;

/**
 * Refuses a pooler that breaks what we rely on. A connection must keep its session between two
 * statements: advisory locks, notifications and prepared statements belong to it. And the statement
 * time-out must hold, which a pooler may drop.
 */
export const requireSession = async (url: string): Promise<void> => {
  const connect = () =>
    connectDatabase(url, {
      ...{ name: 'holdfast-probe', poolSize: 1, leastConnectSeconds: patientConnectSeconds },
    });
  const [ours, other] = [connect(), connect()];
  try {
    await withinDeadline({ ms: answerWithinMs, lastMs: answerWithinMs }, () => probe(ours, other));
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error;
    throw new Error(
      `The database, or the pooler before it, did not answer within ${answerWithinMs / 1000} s`,
    );
  } finally {
    await Promise.all([closeDatabase(ours), closeDatabase(other)]);
  }
};

const probe = async (ours: Database, other: Database): Promise<void> => {
  const { pid, timeoutMs } = await readSession(ours.$client);
  for (let tried = 0; tried < tries; tried++) {
    // In transaction mode the other client's transaction gets the server connection just used.
    const now = await other.$client.begin(async (tx) => {
      await readSession(tx);
      return readSession(ours.$client);
    });
    if (now.pid !== pid) {
      throw new Error(
        'DATABASE_URL leads to a pooler in transaction mode, which Holdfast cannot use: set pool_mode = session for this database, or connect to PostgreSQL itself.',
      );
    }
  }
  if (timeoutMs === 0 || timeoutMs > longestTimeoutMs) {
    throw new Error(
      'The pooler in DATABASE_URL drops statement_timeout, so no statement would ever end: run "alter role … set statement_timeout = \'4s\'" and "alter role … set idle_in_transaction_session_timeout = \'60s\'" for the role in DATABASE_URL, then reconnect the pooler.',
    );
  }
};

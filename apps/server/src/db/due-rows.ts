import type { Log } from '../kernel/log.ts';
import type { Database, Transaction } from './connect.ts';

const batchSize = 200;

type Context = { db: Database; log: Log; signal: AbortSignal };

type DueRows<Row> = {
  /** For the log, such as `expire an order`. */
  action: string;
  list(db: Database, limit: number): PromiseLike<Row[]>;
  handle(tx: Transaction, row: Row): Promise<void>;
};

/**
 * Handles all rows that are due, each in a transaction of its own, so that one that fails does not keep the
 * others from being handled. After a batch with a failure it stops: the same rows would be listed again.
 */
export const handleDueRows = async <Row extends { id: string }>(
  { db, log, signal }: Context,
  { action, list, handle }: DueRows<Row>,
): Promise<void> => {
  for (;;) {
    const rows = await list(db, batchSize);
    let failures = 0;
    for (const row of rows) {
      signal.throwIfAborted();
      await db
        .transaction((tx) => handle(tx, row))
        .catch((err) => {
          failures++;
          log.error({ err, id: row.id }, `could not ${action}`);
        });
    }
    if (rows.length < batchSize || failures > 0) return;
  }
};

import type { Transaction } from './connect.ts';

/** Any statement; what it gives back are rows. */
type Statement<Row> = PromiseLike<Row[]> & { toSQL(): { sql: string; params: unknown[] } };

/**
 * A statement of a hot transaction: its text is put together once, its rows are built by a plain loop.
 * Both together cost more than the statement itself. What it gives back is named by `keys`, in their
 * order, and must need no decoding by drizzle.
 */
export const preparedStep = <Row extends object = never>(
  keys: readonly (keyof Row & string)[],
  build: (tx: Transaction) => Statement<Row>,
) => {
  let built: { sql: string; params: unknown[] } | undefined;

  const rowOf = (cells: unknown[]): Row => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < keys.length; i++) row[keys[i] ?? ''] = cells[i];
    // The keys are the statement's own, in its own order.
    return row as Row;
  };

  return (tx: Transaction, values: Record<string, unknown>): Promise<Row[]> => {
    built ??= build(tx).toSQL();
    // Drizzle's own way to run a text that it has put together; without fields it decodes nothing.
    const prepared = tx._.session.prepareQuery<{ execute: Row[]; all: Row[]; values: Row[] }>(
      built,
      undefined,
      undefined,
      true,
      (rows) => rows.map(rowOf),
    );
    return prepared.execute(values);
  };
};

import { fillPlaceholders } from 'drizzle-orm';
import type { Database, Transaction } from './connect.ts';

type Built = { sql: string; params: unknown[] };

/** A select whose columns are flat and need no decoding by drizzle. */
export type Select<Row> = PromiseLike<Row[]> & { toSQL(): Built; _: { selectedFields: object } };

/**
 * A hot read: its SQL is built once for each pool, and its rows by a plain loop. Both together cost more
 * than the query itself. Its columns must need no decoding by drizzle: a count is cast to `int` in SQL.
 *
 *     const readKey = preparedRead((db) =>
 *       db.select({ id: keys.id }).from(keys).where(eq(keys.hash, sql.placeholder('hash'))));
 *     const [key] = await readKey(db, { hash });
 */
export const preparedRead = <Row extends object>(build: (db: Database) => Select<Row>) => {
  const built = new WeakMap<Database, Built & { toRow(cells: unknown[]): Row }>();

  const prepare = (db: Database) => {
    const select = build(db);
    const toRow = rowMaker<Row>(Object.keys(select._.selectedFields));
    const prepared = { ...select.toSQL(), toRow };
    built.set(db, prepared);
    return prepared;
  };

  return async (db: Database, values: Record<string, unknown>): Promise<Row[]> => {
    const { sql, params, toRow } = built.get(db) ?? prepare(db);
    const rows: unknown[][] = await db.$client
      .unsafe(sql, fillPlaceholders(params, values))
      .values();
    return rows.map(toRow);
  };
};

/** Any statement that returns rows. */
type Statement<Row> = PromiseLike<Row[]> & { toSQL(): Built };

/**
 * The same for a statement inside a hot transaction, also one that writes. `keys` names the returned
 * columns in their order.
 *
 *     const touchKey = preparedStep<{ id: string }>(['id'], (tx) =>
 *       tx.update(keys).set({ usedAt: sql`now()` })
 *         .where(eq(keys.id, sql.placeholder('id'))).returning({ id: keys.id }));
 *     const [touched] = await touchKey(tx, { id });
 */
export const preparedStep = <Row extends object = never>(
  keys: readonly (keyof Row & string)[],
  build: (tx: Transaction) => Statement<Row>,
) => {
  const toRow = rowMaker<Row>(keys);
  let built: Built | undefined;

  return (tx: Transaction, values: Record<string, unknown>): Promise<Row[]> => {
    built ??= build(tx).toSQL();
    // Drizzle's own way to run SQL that it has built; without fields it decodes nothing.
    const prepared = tx._.session.prepareQuery<{ execute: Row[]; all: Row[]; values: Row[] }>(
      built,
      undefined,
      undefined,
      true,
      (rows) => rows.map(toRow),
    );
    return prepared.execute(values);
  };
};

/**
 * Makes rows of cells by one object literal, written as code from the names of a statement's own columns.
 * `from`: the first column that is the row's.
 */
export const rowMaker = <Row>(keys: readonly string[], from = 0): ((cells: unknown[]) => Row) => {
  const fields = keys.map((key, at) => `${JSON.stringify(key)}: cells[${at + from}]`);
  return new Function('cells', `return { ${fields.join(', ')} }`) as (cells: unknown[]) => Row;
};

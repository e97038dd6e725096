import { fillPlaceholders } from 'drizzle-orm';
import type { Database } from './connect.ts';

/** A select whose fields are flat and come from the database as they are needed. */
type Select<Row> = PromiseLike<Row[]> & {
  toSQL(): { sql: string; params: unknown[] };
  _: { selectedFields: object };
};

/**
 * A hot read: its text is put together once for each pool, and its rows are built by a plain loop.
 * Both together cost more than the question itself. What it selects must need no decoding by
 * drizzle: a count is cast to `int` in SQL.
 */
export const preparedRead = <Row extends object>(build: (db: Database) => Select<Row>) => {
  type Prepared = { text: string; params: unknown[]; keys: string[] };
  const built = new WeakMap<Database, Prepared>();

  const prepare = (db: Database): Prepared => {
    const select = build(db);
    const { sql: text, params } = select.toSQL();
    const prepared = { text, params, keys: Object.keys(select._.selectedFields) };
    built.set(db, prepared);
    return prepared;
  };

  return async (db: Database, values: Record<string, unknown>): Promise<Row[]> => {
    const { text, params, keys } = built.get(db) ?? prepare(db);
    const rows: unknown[][] = await db.$client
      .unsafe(text, fillPlaceholders(params, values))
      .values();
    return rows.map((cells) => rowOf(keys, cells));
  };
};

const rowOf = <Row>(keys: string[], cells: unknown[]): Row => {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < keys.length; i++) row[keys[i] ?? ''] = cells[i];
  // The keys are the select's own fields, in its own order.
  return row as Row;
};

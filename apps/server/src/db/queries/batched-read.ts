import { is, Placeholder } from 'drizzle-orm';
import { createBatches } from '../../kernel/batches.ts';
import { withoutTrace } from '../../kernel/tracing.ts';
import type { Database } from '../connect.ts';
import { startStatement } from '../pool/trace-statement.ts';
import { rowMaker, type Select } from '../prepared.ts';

type Values = Record<string, string | number>;
type Types = Record<string, 'uuid' | 'bigint' | 'text'>;

/**
 * A read that many requests make at the same time: those of one moment are answered by one statement,
 * which costs the database and this process a fraction of one each (decision 30). `types` names the placeholders of
 * the select, which is repeated for each of their values; its columns must need no decoding by drizzle.
 *
 *     const readKey = batchedRead({ hash: 'text' }, (db) =>
 *       db.select({ id: keys.id }).from(keys).where(eq(keys.hash, sql.placeholder('hash'))));
 *     const [key] = await readKey(db, { hash });
 *
 * Several callers may get the same rows: they are read only.
 */
export const batchedRead = <Row extends object>(
  types: Types,
  build: (db: Database) => Select<Row>,
) => {
  const names = Object.keys(types);
  type Reader = { statement: string; read(values: Values): Promise<readonly Row[]> };
  const readers = new WeakMap<Database, Reader>();

  const identify = (values: Values) => names.map((name) => values[name]).join('\n');
  const createReader = (db: Database): Reader => {
    const select = build(db);
    const { sql, params } = repeatFor(types, select.toSQL());
    const toRow = rowMaker<Row>(Object.keys(select._.selectedFields), 1);
    const ask = (lists: string[]): Promise<unknown[][]> =>
      db.$client.unsafe(sql, [...lists, ...params]).values();
    const read = createBatches(identify, async (batch: Values[]) => {
      const lists = names.map((name) => arrayOf(batch.map((values) => values[name] ?? '')));
      // In no trace: each who asked has a step of its own there.
      const cells = await withoutTrace(() => ask(lists));
      const rows: Row[][] = batch.map(() => []);
      for (const row of cells) rows[Number(row[0])]?.push(toRow(row));
      return rows;
    });
    const reader = { statement: sql, read };
    readers.set(db, reader);
    return reader;
  };

  return (db: Database, values: Values): Promise<readonly Row[]> => {
    const { statement, read } = readers.get(db) ?? createReader(db);
    const ended = startStatement(statement);
    const rows = read(values);
    if (ended) rows.then(() => ended(), ended);
    return rows;
  };
};

type Built = { sql: string; params: unknown[] };

/**
 * The arrays stand in a select, because PostgreSQL would plan again at every call for what it sees of a
 * bare parameter. A lateral join goes through them in their order and keeps that of the select.
 */
const repeatFor = (types: Types, { sql, params }: Built): Built => {
  const names = Object.keys(types);
  const constants: unknown[] = [];
  const repeated = sql.replace(/\$(\d+)/g, (_, number) => {
    const param = params[Number(number) - 1];
    if (is(param, Placeholder)) return `asked."${param.name}"`;
    return `$${names.length + constants.push(param)}`;
  });
  const arrays = names.map((name, at) => `(select $${at + 1}::${types[name]}[])`);
  const columns = [...names, 'number'].map((name) => `"${name}"`);
  const whole = `select (asked.number - 1)::int, found.*
    from unnest(${arrays.join(', ')}) with ordinality as asked(${columns.join(', ')})
    cross join lateral (${repeated}) as found`;
  return { sql: whole, params: constants };
};

const arrayOf = (values: (string | number)[]): string =>
  `{${values.map((value) => (typeof value === 'number' ? value : quote(value))).join(',')}}`;

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

import { z } from 'zod';
import type { Database, Transaction } from '../../db/connect.ts';
import { readLines } from './lines.ts';
import {
  type DumpedTable,
  fixTextForms,
  insertRows,
  listColumnTypes,
  listTables,
  putChecksBack,
  setSequence,
  takeOffChecks,
} from './queries.ts';

const headLine = z.union([
  z.object({ name: z.string(), columns: z.array(z.string()) }),
  z.object({ sequence: z.string(), value: z.string() }),
  z.object({ end: z.literal(true) }),
]);

const rowsAtATime = 500;
/** A row may hold megabytes. */
const charsAtATime = 4 * 1024 * 1024;

/** Fills the tables of a new database, all or none; returns how many rows each table got. */
export const loadDatabase = (db: Database, path: string): Promise<Record<string, number>> =>
  db.transaction(async (tx) => {
    await fixTextForms(tx);
    const tables = (await listTables(tx)).map(({ name }) => name);
    const constraints = await takeOffChecks(tx, tables);
    const rows = await loadRows(tx, path, tables);
    await putChecksBack(tx, tables, constraints);
    return rows;
  });

const loadRows = async (
  tx: Transaction,
  path: string,
  tables: string[],
): Promise<Record<string, number>> => {
  const rows: Record<string, number> = {};
  let table: Filling | undefined;
  let isComplete = false;
  for await (const line of readLines(path)) {
    if (line.startsWith('[')) {
      await table?.add(line);
      continue;
    }
    await table?.flush();
    table = undefined;
    const head = headLine.parse(JSON.parse(line));
    if ('name' in head && !tables.includes(head.name)) throw new Error(`${head.name} is no table`);
    if ('name' in head) table = await fill(tx, head, rows);
    else if ('sequence' in head) await setSequence(tx, head);
    else isComplete = true;
  }
  if (!isComplete) throw new Error(`${path} is torn: its end is missing`);
  return rows;
};

type Filling = { add(line: string): Promise<void>; flush(): Promise<void> };

const fill = async (
  tx: Transaction,
  table: DumpedTable,
  counts: Record<string, number>,
): Promise<Filling> => {
  const types = await listColumnTypes(tx, table);
  let lines: string[] = [];
  let chars = 0;
  counts[table.name] = 0;
  const flush = async () => {
    if (lines.length > 0) await insertRows(tx, table, types, lines);
    counts[table.name] = (counts[table.name] ?? 0) + lines.length;
    lines = [];
    chars = 0;
  };
  return {
    flush,
    async add(line) {
      lines.push(line);
      chars += line.length;
      if (lines.length >= rowsAtATime || chars >= charsAtATime) await flush();
    },
  };
};

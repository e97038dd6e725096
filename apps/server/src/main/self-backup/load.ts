import type { Database, Transaction } from '../../db/connect.ts';
import { type Entry, readEntries } from './contents.ts';
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

const rowsAtATime = 500;
/** A row may hold megabytes. */
const charsAtATime = 4 * 1024 * 1024;

/** Fills the tables of a new database, all or none; returns how many rows each table got. */
export const loadDatabase = (
  db: Database,
  path: string,
  sha256: string,
): Promise<Record<string, number>> =>
  db.transaction(async (tx) => {
    await fixTextForms(tx);
    const tables = (await listTables(tx)).map(({ name }) => name);
    const constraints = await takeOffChecks(tx, tables);
    const rows = await loadRows(tx, readEntries(path, sha256), tables);
    await putChecksBack(tx, tables, constraints);
    return rows;
  });

const loadRows = async (
  tx: Transaction,
  entries: AsyncIterable<Entry>,
  tables: string[],
): Promise<Record<string, number>> => {
  const rows: Record<string, number> = {};
  let table: Filling | undefined;
  for await (const entry of entries) {
    if ('row' in entry) {
      await table?.add(entry.row);
      continue;
    }
    await table?.flush();
    table = undefined;
    if ('sequence' in entry) await setSequence(tx, entry.sequence);
    else if (tables.includes(entry.table.name)) table = await fill(tx, entry.table, rows);
    else throw new Error(`${entry.table.name} is no table`);
  }
  await table?.flush();
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

import { z } from 'zod';
import type { Queryable } from '../../db/connect.ts';
import { readLines } from './lines.ts';
import { type DumpedTable, listAllSequences, listTables, type Sequence } from './queries.ts';

const headLine = z.union([
  z.object({ name: z.string(), columns: z.array(z.string()) }),
  z.object({ sequence: z.string(), value: z.string() }),
  z.object({ end: z.literal(true) }),
]);

export type Entry = { row: string } | { table: DumpedTable } | { sequence: Sequence };

/** What `dumpDatabase` wrote; throws where it is torn, or other bytes than `sha256` says. */
export async function* readEntries(path: string, sha256: string): AsyncIterable<Entry> {
  let isInTable = false;
  let isComplete = false;
  for await (const line of readLines(path, sha256)) {
    if (isComplete) throw new Error(`${path} goes on after its end`);
    if (line.startsWith('[')) {
      if (!isInTable) throw new Error(`${path} has a row without a table`);
      yield { row: line };
      continue;
    }
    const head = headLine.parse(JSON.parse(line));
    isInTable = 'name' in head;
    if ('name' in head) yield { table: head };
    else if ('sequence' in head) yield { sequence: head };
    else isComplete = true;
  }
  if (!isComplete) throw new Error(`${path} is torn: its end is missing`);
}

/** What the rows are about. */
export type Contents = { tables: DumpedTable[]; sequences: Sequence[] };

/** Without a database; throws unless each table is there once, with as many rows as the manifest says. */
export const readContents = async (
  path: string,
  { sha256, rows: expected }: { sha256: string; rows: Record<string, number> },
): Promise<Contents> => {
  const contents: Contents = { tables: [], sequences: [] };
  const counts: number[] = [];
  for await (const entry of readEntries(path, sha256)) {
    if ('row' in entry) counts.push((counts.pop() ?? 0) + 1);
    else if ('sequence' in entry) contents.sequences.push(entry.sequence);
    else {
      contents.tables.push(entry.table);
      counts.push(0);
    }
  }
  const found = contents.tables.map(({ name }, index) => `${name}: ${counts[index]}`);
  const listed = Object.entries(expected).map(([name, count]) => `${name}: ${count}`);
  const [differing] = [...difference(found, listed), ...difference(listed, found)];
  if (differing === undefined) return contents;
  throw new Error(`The backup is damaged: manifest and rows differ (${differing})`);
};

/** What `some` has more often than `others`. */
const difference = (some: string[], others: string[]): string[] =>
  some.filter((one, index) => !others.includes(one) || some.indexOf(one) < index);

/** Throws where the database has no such table, column or sequence. */
export const requireKnownNames = async (db: Queryable, contents: Contents): Promise<void> => {
  const tables = new Map((await listTables(db)).map(({ name, columns }) => [name, columns]));
  for (const { name, columns } of contents.tables) {
    const known = tables.get(name);
    if (!known) throw new Error(`The backup is refused: ${name} is no table`);
    const [wrong] = difference(columns, known);
    if (wrong === undefined) continue;
    throw new Error(
      `The backup is refused: the column ${wrong} of ${name} is unknown, or twice there`,
    );
  }
  const sequences = await listAllSequences(db);
  for (const { sequence } of contents.sequences) {
    if (!sequences.includes(sequence)) {
      throw new Error(`The backup is refused: ${sequence} is no sequence`);
    }
  }
};

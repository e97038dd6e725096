import type { Database, Transaction } from '../../db/connect.ts';
import { listAppliedMigrations } from '../../db/queries.ts';
import { findSealedCheck } from '../../db/sealed/queries.ts';
import { findQueueVersion } from '../admin/doctor/queries.ts';
import { listKeysInUse } from '../sealed-data.ts';
import { writeLines } from './lines.ts';
import type { Manifest } from './manifest.ts';
import {
  closeRows,
  type DumpedTable,
  fetchRows,
  fixTextForms,
  listSequences,
  listTables,
  openRows,
} from './queries.ts';

const rowsAtATime = 500;

type Dumped = Pick<Manifest, 'migrations' | 'queueVersion' | 'keys' | 'database'>;

/**
 * Writes all rows as they are at one moment, while the service goes on. Lines of the file: a table with its
 * columns, then its rows as arrays of texts; at the end the sequences, and a last line without which the
 * file is torn.
 */
export const dumpDatabase = (db: Database, path: string): Promise<Dumped> =>
  db.transaction(
    async (tx) => {
      await fixTextForms(tx);
      const rows: Record<string, number> = {};
      const sha256 = await writeLines(path, linesOf(tx, rows));
      const inUse = await listKeysInUse(tx);
      const checks = await Promise.all(
        inUse.map(async (keyId) => ({ keyId, sealedCheck: await findSealedCheck(tx, keyId) })),
      );
      return {
        migrations: await listAppliedMigrations(tx),
        queueVersion: (await findQueueVersion(tx)) ?? 0,
        keys: {
          inUse,
          checks: checks.flatMap(({ keyId, sealedCheck }) =>
            sealedCheck === undefined ? [] : [{ keyId, sealedCheck }],
          ),
        },
        database: { sha256, rows },
      };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );

async function* linesOf(tx: Transaction, counts: Record<string, number>): AsyncIterable<string> {
  for (const table of await listTables(tx)) {
    yield JSON.stringify(table);
    counts[table.name] = 0;
    for await (const line of rowsOf(tx, table)) {
      yield line;
      counts[table.name] = (counts[table.name] ?? 0) + 1;
    }
  }
  for (const sequence of await listSequences(tx)) yield JSON.stringify(sequence);
  yield JSON.stringify({ end: true });
}

async function* rowsOf(tx: Transaction, table: DumpedTable): AsyncIterable<string> {
  await openRows(tx, table);
  for (;;) {
    const lines = await fetchRows(tx, rowsAtATime);
    yield* lines;
    if (lines.length < rowsAtATime) break;
  }
  await closeRows(tx);
}

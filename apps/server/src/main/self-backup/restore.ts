import { dirname, join, resolve } from 'node:path';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { listAppliedMigrations } from '../../db/queries.ts';
import { verifyChain } from '../../features/audit/chain/verify-chain.ts';
import type { BlobStore } from '../../integrations/blobs/blob-store.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { startQueue } from '../../queue/queue.ts';
import { findQueueVersion } from '../admin/doctor/queries.ts';
import { jobDefinitions } from '../jobs.ts';
import { requireCheckFits, requireRingOpens } from '../sealed-data.ts';
import { readBlobList, readCopy } from './blobs.ts';
import { hashFile } from './lines.ts';
import { loadDatabase } from './load.ts';
import { fileNames, type Manifest, readManifest } from './manifest.ts';
import { analyze, isEmptyDatabase, listAllAccounts } from './queries.ts';

type RestoreDependencies = { url: string; store: BlobStore; ring: KeyRing | undefined };

/**
 * Puts a backup into an empty database and the blob store. Its stages:
 *
 *   verify    every file against its hash, the master keys against the check values: nothing is written
 *   blobs     into the store, where they do no harm without their rows
 *   tables    made by this version's migrations, which must be those of the backup
 *   rows      in one transaction: all or none
 *   verify    the rows of each table, what is sealed, and the audit chain of every account
 */
export const restoreService = async ({ url, store, ring }: RestoreDependencies, given: string) => {
  const folder = resolve(given);
  const manifest = await readManifest(folder);
  await requireWhole(folder, manifest);
  const fitting = requireKeys(manifest, ring);
  await requireEmpty(url);
  const blobs = await putBlobs(store, folder);
  await makeTables(url);
  const db = connectDatabase(url, { name: 'holdfast-admin', poolSize: 2, statementTimeoutMs: 0 });
  try {
    await requireSameTables(db, manifest);
    const rows = await loadDatabase(db, join(folder, fileNames.database));
    await analyze(db);
    requireSameRows(manifest.database.rows, rows);
    if (fitting) await requireRingOpens(db, fitting);
    const chains = await verifyChains(db);
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    const { createdAt } = manifest;
    return {
      restored: true,
      createdAt,
      tables: Object.keys(rows).length,
      rows: total,
      blobs,
      chains,
    };
  } finally {
    await closeDatabase(db);
  }
};

const requireWhole = async (folder: string, { database, blobs }: Manifest): Promise<void> => {
  for (const [file, sha256] of [
    [fileNames.database, database.sha256],
    [fileNames.blobs, blobs.sha256],
  ] as const) {
    const found = await hashFile(join(folder, file)).catch(() => undefined);
    if (found === undefined) throw new Error(`The backup is damaged: ${file} is missing`);
    if (found !== sha256) throw new Error(`The backup is damaged: ${file} has other bytes`);
  }
  for await (const blob of readBlobList(folder)) await readCopy(dirname(folder), blob);
};

/** The ring, where the backup needs one. */
const requireKeys = ({ keys }: Manifest, ring: KeyRing | undefined): KeyRing | undefined => {
  const lacking = keys.inUse.filter((keyId) => !ring?.keyIds.includes(keyId));
  if (lacking.length > 0) {
    throw new Error(
      `MASTER_KEYS lacks keys that the backup is sealed under: ${lacking.join(', ')}. Set the keys of the time of the backup.`,
    );
  }
  if (!ring) return undefined;
  for (const { keyId, sealedCheck } of keys.checks) requireCheckFits(ring, keyId, sealedCheck);
  return ring;
};

const requireEmpty = async (url: string): Promise<void> => {
  const db = connectDatabase(url, { name: 'holdfast-admin', poolSize: 1, statementTimeoutMs: 0 });
  try {
    if (await isEmptyDatabase(db)) return;
    throw new Error(
      'The database is not empty: a backup is restored into a new one only. Create one, and set DATABASE_URL (or DATA_DIR) to it.',
    );
  } finally {
    await closeDatabase(db);
  }
};

const putBlobs = async (store: BlobStore, folder: string): Promise<number> => {
  let count = 0;
  for await (const blob of readBlobList(folder)) {
    await store.put(blob.name, await readCopy(dirname(folder), blob));
    count += 1;
  }
  return count;
};

const makeTables = async (url: string): Promise<void> => {
  await migrateDatabase(url);
  const log = createLog({ write: (line) => process.stderr.write(line) });
  const queue = await startQueue(jobDefinitions, {
    ...{ url, isWorker: false, log, metrics: createMetrics() },
  });
  await queue.stop();
};

const requireSameTables = async (db: Database, manifest: Manifest): Promise<void> => {
  const migrations = await listAppliedMigrations(db);
  const isSame =
    migrations.toSorted().join() === manifest.migrations.toSorted().join() &&
    (await findQueueVersion(db)) === manifest.queueVersion;
  if (isSame) return;
  throw new Error(
    `The backup was made by version ${manifest.version} with other tables than this version has: restore it with that version into another empty database, then upgrade.`,
  );
};

const requireSameRows = (
  expected: Record<string, number>,
  loaded: Record<string, number>,
): void => {
  for (const [table, count] of Object.entries(expected)) {
    if (loaded[table] === count) continue;
    throw new Error(`${table} has ${loaded[table] ?? 0} rows instead of ${count}`);
  }
};

const verifyChains = async (db: Database): Promise<number> => {
  const all = await listAllAccounts(db);
  for (const { accountId, isDeleted: isOfDeleted } of all) {
    const report = await verifyChain(db, accountId, { isOfDeleted });
    if (!report.intact) {
      throw new Error(`The audit chain of ${accountId} is broken: ${JSON.stringify(report)}`);
    }
  }
  return all.length;
};

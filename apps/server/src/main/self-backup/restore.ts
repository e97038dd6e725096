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
import type { Trust } from './authenticity.ts';
import { readCopy } from './blobs.ts';
import { requireKnownNames } from './contents.ts';
import { fileNames } from './files.ts';
import { loadDatabase } from './load.ts';
import type { Manifest } from './manifest.ts';
import { analyze, isEmptyDatabase, listAllAccounts } from './queries.ts';
import { verifyBackup } from './verify.ts';

type RestoreDependencies = Trust & { url: string; store: BlobStore };

/**
 * Puts a backup into an empty database and the blob store. Its stages:
 *
 *   verify    the manifest's tag, every file against its hash, what the files name, and the master keys against
 *             the check values: nothing is written
 *   tables    made by this version's migrations, which must be those of the backup; all names in it must be theirs
 *   blobs     into the store, where they do no harm without their rows
 *   rows      in one transaction: all or none
 *   verify    the rows of each table, what is sealed, and the audit chain of every account
 */
export const restoreService = async (
  { url, store, ...trust }: RestoreDependencies,
  given: string,
) => {
  const folder = resolve(given);
  const { manifest, contents, blobs } = await verifyBackup(folder, trust);
  const fitting = requireKeys(manifest, trust.ring);
  await requireEmpty(url);
  await makeTables(url);
  const db = connectDatabase(url, { name: 'holdfast-admin', poolSize: 2, statementTimeoutMs: 0 });
  try {
    await requireSameTables(db, manifest);
    await requireKnownNames(db, contents);
    for (const blob of blobs) await store.put(blob.name, await readCopy(dirname(folder), blob));
    const { sha256 } = manifest.database;
    const rows = await loadDatabase(db, join(folder, fileNames.database), sha256);
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
      blobs: blobs.length,
      chains,
    };
  } finally {
    await closeDatabase(db);
  }
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

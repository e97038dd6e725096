import type { Database } from '../../db/connect.ts';
import type { Log } from '../../kernel/log.ts';
import {
  type DashboardFile,
  deleteUnservedFiles,
  insertDashboardFile,
  markServed,
} from './queries.ts';

const keptDays = 90;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Keeps the files of this release where every other process finds them: while two releases run side by side, a
 * browser with the page of one asks the other for its files, and a page that was left open asks for them afterwards.
 */
export const keepFiles = async (db: Database, files: DashboardFile[]): Promise<void> => {
  const names = files.map(({ name }) => name);
  // In a transaction, which is run again where processes that start together hinder each other.
  const kept = await db.transaction((tx) => markServed(tx, names));
  // One at a time: all together they are larger than any other statement.
  for (const file of files) if (!kept.has(file.name)) await insertDashboardFile(db, file);
  await deleteUnservedFiles(db, keptDays);
};

/** Now and once a day. Returns what ends it. */
export const keepFilesDaily = async (
  { db, log }: { db: Database; log: Log },
  files: DashboardFile[],
): Promise<() => Promise<void>> => {
  const keep = () =>
    keepFiles(db, files).catch((err) =>
      log.warn({ err }, 'the files of the dashboard were not kept for other releases'),
    );
  await keep();
  const timer = setInterval(keep, dayMs);
  return async () => clearInterval(timer);
};

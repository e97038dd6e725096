import type { PgBoss } from 'pg-boss';
import packageJson from 'pg-boss/package.json';
import { isPermissionDenied } from '../db/failures.ts';
import { mayNotMigrate } from '../db/migrate.ts';

/** The queue's own tables, in the shape that this version of it makes. */
const knownVersion: number = packageJson.pgboss.schema;

/** Creates or migrates the queue's tables where they are missing or older; else it only reads them. */
export const startOnOwnSchema = async (boss: PgBoss): Promise<void> => {
  try {
    await boss.start();
  } catch (error) {
    throw isPermissionDenied(error) ? mayNotMigrate(error) : error;
  }
  const version = (await boss.schemaVersion()) ?? knownVersion;
  if (version <= knownVersion) return;
  await boss.stop({ graceful: false });
  throw new Error(
    `The queue's tables are newer than this Holdfast (version ${version}, known is ${knownVersion}): start the version that made them, or restore the backup from before that upgrade.`,
  );
};

import { join } from 'node:path';
import { migrate } from 'drizzle-orm/bun-sql/migrator';
import { closeDatabase, connectDatabase } from './connect.ts';
import { releaseMigrationLock, serverVersion, takeMigrationLock } from './queries.ts';

const migrationsFolder = join(import.meta.dir, '../../migrations');
const oldestSupported = 15;

/** Brings the database to this version's shape. Of several starters one works, the others wait. */
export const migrateDatabase = async (url: string): Promise<void> => {
  const db = connectDatabase(url, { name: 'holdfast-migrate', poolSize: 1, statementTimeoutMs: 0 });
  try {
    const major = Math.floor((await serverVersion(db).catch(tellUnreachable)) / 10_000);
    if (major < oldestSupported) {
      throw new Error(`PostgreSQL ${major} is too old: Holdfast needs ${oldestSupported} or later`);
    }
    await takeMigrationLock(db);
    await migrate(db, { migrationsFolder });
    await releaseMigrationLock(db);
  } finally {
    await closeDatabase(db);
  }
};

const tellUnreachable = (error: unknown): never => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new Error(`The database does not answer: ${reason}. Is DATABASE_URL right?`);
};

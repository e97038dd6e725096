import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { startEmbeddedPostgres } from '../src/db/embedded.ts';
import { migrateDatabase } from '../src/db/migrate.ts';

type TestServer = { url: string; stop(): Promise<void> };

/** Outlives the test files, which Bun may load each with modules of its own. */
const shared = globalThis as {
  holdfastTestServer?: Promise<TestServer>;
  holdfastDatabases?: string[];
};

/** One PostgreSQL for the whole run: the one in DATABASE_URL, or our own in a temporary folder. */
const testServer = (): Promise<TestServer> => {
  shared.holdfastTestServer ??= startTestServer();
  return shared.holdfastTestServer;
};

const startTestServer = async (): Promise<TestServer> => {
  if (process.env.DATABASE_URL)
    return { url: process.env.DATABASE_URL, stop: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres(folder);
  const stop = async () => {
    await postgres.stop();
    await rm(folder, { recursive: true });
  };
  return { url: postgres.url, stop };
};

/** An empty, migrated database of its own, dropped after the run. */
export const freshDatabase = async (): Promise<string> => {
  const { url } = await testServer();
  const name = `holdfast_test_${randomBytes(6).toString('hex')}`;
  await onServer(url, async (sql) => {
    await sql`create database ${sql(name)}`.simple();
    // Crashes are tested elsewhere, on a database of their own.
    await sql`alter database ${sql(name)} set synchronous_commit to off`.simple();
  });
  shared.holdfastDatabases = [...(shared.holdfastDatabases ?? []), name];
  const fresh = new URL(url);
  fresh.pathname = `/${name}`;
  await migrateDatabase(fresh.href);
  return fresh.href;
};

export const stopTestDatabase = async (): Promise<void> => {
  if (!shared.holdfastTestServer) return;
  const server = await shared.holdfastTestServer;
  for (const name of shared.holdfastDatabases ?? []) {
    await onServer(server.url, (sql) => sql`drop database ${sql(name)} with (force)`.simple());
  }
  await server.stop();
};

const onServer = async (url: string, act: (sql: SQL) => PromiseLike<unknown>): Promise<void> => {
  const sql = new SQL(url, { max: 1 });
  try {
    await act(sql);
  } finally {
    await sql.close();
  }
};

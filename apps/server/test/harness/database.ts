import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL } from 'bun';
import { placesIn } from '../../src/db/embedded/cluster.ts';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.ts';
import { findPostmaster } from '../../src/db/embedded/postmaster.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { createLog } from '../../src/kernel/log.ts';
import { createMetrics } from '../../src/kernel/metrics.ts';
import { jobDefinitions } from '../../src/main/jobs.ts';
import { startQueue } from '../../src/queue/queue.ts';
import { eventually } from './eventually.ts';
import { fastFolder } from './fast-folder.ts';

type TestServer = {
  url: string;
  /** Deletes the whole server, or, on a server that is not ours, the databases we made. */
  clear(): Promise<void>;
  /** Gives its new URL. */
  restart(): Promise<string>;
};

/** Global, because Bun may load the modules again for each test file. */
const shared = globalThis as {
  holdfastTestServer?: Promise<TestServer>;
  holdfastDatabases?: string[];
  holdfastTemplate?: Promise<string>;
};

const testServer = (): Promise<TestServer> => {
  shared.holdfastTestServer ??= startTestServer();
  return shared.holdfastTestServer;
};

/** The one in DATABASE_URL, or our own in a temporary folder. */
export const startTestServer = async (): Promise<TestServer> => {
  const { DATABASE_URL: url } = process.env;
  // The run's server is shared and deleted after it.
  const isPassing = process.env.HOLDFAST_TEST_TEMPLATE !== undefined;
  if (url) {
    const restart = () => Promise.reject(new Error('This PostgreSQL is not ours'));
    const clear = () => (isPassing ? dropUnusedDatabases(url) : dropDatabases(url));
    return { url, clear, restart };
  }
  const folder = await mkdtemp(join(fastFolder(), 'holdfast-test-'));
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres(folder);
  const clear = async () => {
    await endAtOnce(folder);
    await rm(folder, { recursive: true });
  };
  const restart = async () => {
    await postgres.stop();
    return (await startEmbeddedPostgres(folder)).url;
  };
  return { url: postgres.url, clear, restart };
};

/** Without a checkpoint: the data is thrown away. */
const endAtOnce = async (folder: string): Promise<void> => {
  const { clusterDir } = placesIn(folder);
  const postmaster = await findPostmaster(clusterDir);
  if (!postmaster) return;
  process.kill(postmaster.pid, 'SIGQUIT');
  await eventually(10_000, async () => {
    if (await findPostmaster(clusterDir))
      throw new Error('The PostgreSQL of the tests did not end');
  });
};

/** An empty, migrated database of its own, dropped after the run. */
export const freshDatabase = async (): Promise<string> => {
  const { url } = await testServer();
  shared.holdfastTemplate ??= findTemplate(url);
  const template = await shared.holdfastTemplate;
  const name = newName();
  await onServer(url, async (sql) => {
    // Copying files is cheaper than logging every page.
    await sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`.simple();
    // Crashes are tested elsewhere, on a database of their own.
    await sql`alter database ${sql(name)} set synchronous_commit to off`.simple();
  });
  return databaseAt(url, name);
};

/** A database with nothing in it, dropped after the run. */
export const emptyDatabase = async (): Promise<string> => {
  const { url } = await testServer();
  const name = newName();
  await onServer(url, (sql) => sql`create database ${sql(name)}`.simple());
  return databaseAt(url, name);
};

const findTemplate = async (url: string): Promise<string> =>
  process.env.HOLDFAST_TEST_TEMPLATE ?? makeTemplate(url);

/** Migrated once, with the queue's own tables: all others are copies of it. */
export const makeTemplate = async (url: string): Promise<string> => {
  const name = newName();
  await onServer(url, (sql) => sql`create database ${sql(name)}`.simple());
  const template = databaseAt(url, name);
  await migrateDatabase(template);
  const tools = { log: createLog({ write: () => undefined }), metrics: createMetrics() };
  const queue = await startQueue(jobDefinitions, { url: template, isWorker: false, ...tools });
  await queue.stop();
  return name;
};

const newName = (): string => {
  const name = `holdfast_test_${randomBytes(6).toString('hex')}`;
  shared.holdfastDatabases = [...(shared.holdfastDatabases ?? []), name];
  return name;
};

const databaseAt = (url: string, name: string): string => {
  const database = new URL(url);
  database.pathname = `/${name}`;
  // A machine that runs many tests at once may take longer than requests would wait.
  database.searchParams.set('connect_timeout', '20');
  return database.href;
};

export const stopTestDatabase = async (): Promise<void> => {
  await (await shared.holdfastTestServer)?.clear();
};

const dropDatabases = async (url: string): Promise<void> => {
  for (const name of shared.holdfastDatabases ?? []) {
    await onServer(url, (sql) => sql`drop database ${sql(name)} with (force)`.simple());
  }
};

/**
 * So that a long run does not fill the memory. Those that a file still uses in the background stay until a
 * later one ends: without its database it would fail in the middle of another's tests.
 */
const dropUnusedDatabases = async (url: string): Promise<void> => {
  const { holdfastDatabases: names = [] } = shared;
  if (names.length === 0) return;
  await onServer(url, async (sql) => {
    const unused: { name: string }[] = await sql`
      select datname as name from pg_database
      where datname in ${sql(names)}
        and not exists (select from pg_stat_activity where datid = pg_database.oid)`;
    const dropped = new Set<string>();
    for (const { name } of unused) {
      // Refused where the file has just connected to it again.
      const dropping = sql`drop database ${sql(name)}`.simple();
      await dropping.then(() => dropped.add(name)).catch(() => undefined);
    }
    shared.holdfastDatabases = names.filter((name) => !dropped.has(name));
  });
};

const onServer = async (url: string, act: (sql: SQL) => PromiseLike<unknown>): Promise<void> => {
  const sql = new SQL(url, { max: 1 });
  try {
    await act(sql);
  } finally {
    await sql.close();
  }
};

import { realpath } from 'node:fs/promises';
import { SQL } from 'bun';
import { ask } from '../pool/queries.ts';
import { createDatabaseIfMissing } from '../queries.ts';
import { findBinaries, removeOtherCopies } from './binaries.ts';
import {
  type Places,
  placesIn,
  prepareCluster,
  readClusterMajor,
  readPassword,
  SUPERUSER,
} from './cluster.ts';
import { readLogTail, startServer, stopServer } from './control.ts';
import { findPostmaster, type Postmaster, settlePostmaster } from './postmaster.ts';
import { assertCanEnter, chooseRunAs } from './user.ts';

export type EmbeddedPostgres = { url: string; adopted: boolean; stop(): Promise<void> };

const DATABASE = 'holdfast';

/** A server left by a killed service may be in a long recovery. */
const SETTLE_MS = 300_000;
const FIND_MS = 5_000;
const CONNECT_MS = 30_000;

/**
 * Runs PostgreSQL on the data folder, which the caller has locked (`data-dir-lock.ts`). The server is a
 * process group of its own and outlives a killed service; the next start finds and adopts it.
 *
 * `user.ts` chooses the operating-system user, `binaries.ts` finds or copies the programs, `cluster.ts`
 * makes the cluster, `control.ts` starts and stops the server, `postmaster.ts` finds a running one.
 */
export async function startEmbeddedPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const places = placesIn(await realpath(dataDir));
  const runAs = await chooseRunAs(places.clusterDir);
  if (runAs) await assertCanEnter(runAs, places.dataDir);
  const binaries = await findBinaries(places.dataDir, runAs);
  const control = { places, pgCtl: binaries.pgCtl, runAs };
  const running = await settlePostmaster(places.clusterDir, SETTLE_MS);
  if (!running) {
    await removeOtherCopies(places.dataDir, binaries);
    await prepareCluster(places, binaries, runAs);
    await startServer(control);
  }
  const url = await ensureDatabase(places);
  let stopping: Promise<void> | undefined;
  return {
    url,
    adopted: running !== undefined,
    stop() {
      stopping ??= stopServer(control).finally(() => {
        stopping = undefined;
      });
      return stopping;
    },
  };
}

/** The URL of the server that a service runs on this folder, for a command run beside it. */
export async function findRunningEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const resolved = await realpath(dataDir).catch(() => undefined);
  if (resolved === undefined) return undefined;
  const places = placesIn(resolved);
  const deadline = performance.now() + FIND_MS;
  for (;;) {
    const server = await settlePostmaster(places.clusterDir, deadline - performance.now());
    if (!server?.isReady) return undefined;
    const url = await urlOf(places, server, DATABASE);
    // At the very first start the server is ready a moment before its database is there.
    if ((await tryQuery(url, ask)).isAnswered) return url;
    if (performance.now() > deadline) return undefined;
    await Bun.sleep(100);
  }
}

/** Whether a start made a database in this folder before. */
export async function hasEmbeddedCluster(dataDir: string): Promise<boolean> {
  return (await readClusterMajor(placesIn(dataDir).clusterDir)) !== undefined;
}

async function urlOf(places: Places, server: Postmaster, database: string): Promise<string> {
  const password = await readPassword(places);
  if (!password) {
    throw new Error(
      `${places.passwordFile} is missing, and without it the database beside it cannot be opened: restore that file from a backup, or set DATA_DIR to another folder.`,
    );
  }
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${server.port}/${database}`;
}

/** Separate from making the cluster, because a crash may come between the two. Returns the URL. */
async function ensureDatabase(places: Places): Promise<string> {
  const deadline = performance.now() + CONNECT_MS;
  for (;;) {
    const server = await findPostmaster(places.clusterDir);
    if (!server) throw new Error(`PostgreSQL ended by itself:\n${await readLogTail(places)}`);
    const maintenanceUrl = await urlOf(places, server, 'postgres');
    const asked = await tryQuery(maintenanceUrl, (sql) => createDatabaseIfMissing(sql, DATABASE));
    if (asked.isAnswered) return urlOf(places, server, DATABASE);
    // An adopted server may be recovering from the crash of one of its processes.
    if (performance.now() > deadline) {
      throw new Error(
        `PostgreSQL runs but does not answer (${asked.reason}):\n${await readLogTail(places)}`,
      );
    }
    await Bun.sleep(100);
  }
}

type Answer = { isAnswered: true } | { isAnswered: false; reason: string };

async function tryQuery(url: string, query: (sql: SQL) => PromiseLike<unknown>): Promise<Answer> {
  const sql = new SQL(url, { max: 1, connectionTimeout: 5 });
  try {
    await query(sql);
    return { isAnswered: true };
  } catch (error) {
    return { isAnswered: false, reason: String(error) };
  } finally {
    await sql.close();
  }
}

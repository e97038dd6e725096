import { closeDatabase, connectDatabase, type Database, forRequests } from '../db/connect.ts';
import type { ReplaceReason } from '../db/pool/pool.ts';
import { primaryOf } from '../db/primary/primary.ts';
import { ping } from '../db/queries.ts';
import { openReplica } from '../db/replica/replica.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { ApiDependencies } from './api.ts';
import type { Config } from './config.ts';
import { announceChanges } from './live-pages.ts';
import type { OnStop } from './on-stop.ts';

const replacedSentences = {
  silent: 'database connections that fell silent were replaced',
  moved: 'another host is the primary of the database now: connections were made anew',
};

const idleSeconds = 10;

/**
 * Idle connections are closed, except for one: for the next statement the driver opens all connections of
 * an empty pool at once, but only as many as needed of another.
 */
export const openPool = (
  url: string,
  { dbPool, log }: { dbPool: number; log: Log },
  onStop: OnStop,
): Database => {
  const onReplaced = (reason: ReplaceReason) => log.warn(replacedSentences[reason]);
  const size = { poolSize: dbPool, idleSeconds };
  const announcer = announceChanges(() => db);
  const { announce: onChanged } = announcer;
  const db = connectDatabase(url, { name: 'holdfast', ...size, onReplaced, onChanged });
  const unwatch = primaryOf(url).watch((reasons) =>
    log.warn({ reasons }, 'no host of the database takes writes'),
  );
  const keepOne = setInterval(() => ping(db).catch(() => undefined), idleSeconds * 500);
  onStop(async () => {
    unwatch();
    clearInterval(keepOne);
    await announcer.flush();
    await closeDatabase(db);
  });
  return db;
};

type ForDatabases = Pick<Config, 'databaseReplicaUrl' | 'dbPool' | 'servesApi'> & {
  isDatabaseReachable(): boolean;
  log: Log;
  metrics: Metrics;
};

/** What requests read and write: the primary, and the standby for lists where there is one. */
export const openDatabases = (
  pool: Database,
  { isDatabaseReachable, databaseReplicaUrl: url, servesApi, ...rest }: ForDatabases,
  onStop: OnStop,
): Pick<ApiDependencies, 'db' | 'replica'> => {
  const db = forRequests(pool, isDatabaseReachable);
  if (url === undefined || !servesApi) return { db };
  const { log, dbPool: poolSize, metrics } = rest;
  const replica = openReplica({ url, poolSize, primary: db, log, registry: metrics.registry });
  onStop(async () => replica.stop());
  return { db, replica };
};

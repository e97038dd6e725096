import { type ConstructorOptions, PgBoss } from 'pg-boss';
import packageJson from 'pg-boss/package.json';
import { z } from 'zod';
import { isPermissionDenied } from '../db/failures.ts';
import { migrationDenied } from '../db/migrate.ts';
import { trackPool } from '../db/pool/usage.ts';
import { pgConnection } from '../db/primary/pg-connection.ts';
import { steadyNow } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';

export type BossOptions = {
  url: string;
  isWorker: boolean;
  log: Log;
  /** How long the queue waits for an answer of the database (0: no limit), and its session's name. */
  connection?: { timeoutMs: number; name: string };
};

/** A step back of the machine's clock must not delay the schedules by as much. */
const bossClock = { now: steadyNow, setTimeout, clearTimeout, setInterval, clearInterval };

/** Starts pg-boss, which creates or migrates its own tables where they are missing or older. */
export const startBoss = async ({
  url,
  isWorker,
  log,
  connection,
}: BossOptions): Promise<PgBoss> => {
  const size = isWorker ? 4 : 2;
  const boss = new PgBoss({
    ...(await bossConnection(url, connection)),
    max: size,
    supervise: isWorker,
    schedule: isWorker,
    // No job of ours depends on another.
    flowIntervalSeconds: 60 * 60,
    superviseIntervalSeconds: 60,
    // So seldom only where nothing is amiss: `silent-jobs.ts` asks for it in between.
    monitorIntervalSeconds: 2,
    cronWorkerIntervalSeconds: 5,
    clock: bossClock,
    clockMonitorIntervalSeconds: 60,
  });
  boss.on('error', (err) => log.warn({ err }, 'queue'));
  try {
    await boss.start();
  } catch (error) {
    throw isPermissionDenied(error) ? migrationDenied(error) : error;
  }
  await requireKnownSchema(boss);
  const name = connection?.name ?? usualName;
  boss.once(
    'stopped',
    trackPool(() => ({ name, size, wanted: wantedOf(boss) })),
  );
  return boss;
};

const driverPool = z.object({
  pool: z.object({ totalCount: z.number(), idleCount: z.number(), waitingCount: z.number() }),
});

/** pg-boss has the driver's pool without declaring it. */
const wantedOf = (boss: PgBoss): number => {
  const { data } = driverPool.safeParse(boss.getDb());
  return data ? data.pool.totalCount - data.pool.idleCount + data.pool.waitingCount : 0;
};

const requireKnownSchema = async (boss: PgBoss): Promise<void> => {
  const knownVersion: number = packageJson.pgboss.schema;
  const version = (await boss.schemaVersion()) ?? knownVersion;
  if (version <= knownVersion) return;
  await boss.stop({ graceful: false });
  throw new Error(
    `The queue's tables are newer than this Holdfast (version ${version}, known is ${knownVersion}): start the version that made them, or restore the backup from before that upgrade.`,
  );
};

/** The queue's statements take milliseconds; its maintenance may take seconds. */
const queryTimeoutMs = 15_000;
const usualName = 'holdfast-jobs';

/**
 * Options of the `pg` driver. A statement without an answer in time fails, and the driver's pool discards
 * its connection; idle connections are closed after ten seconds. So a connection that no longer answers
 * is replaced soon after its next use. Each is made to the host that is the primary then.
 */
export const bossConnection = async (
  url: string,
  { timeoutMs = queryTimeoutMs, name = usualName } = {},
): Promise<ConstructorOptions> => {
  const connection = {
    ...(await pgConnection(url)),
    application_name: name,
    // Long, because a machine is slow while everything on it restarts.
    connectionTimeoutMillis: 15_000,
    // pg-boss passes these on to the driver without declaring them.
    query_timeout: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  return connection;
};

import { closeDatabase, connectDatabase } from '../db/connect.ts';
import { watchDatabase } from '../db/health.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { requireRingFitsBots } from '../features/bots/rewrap.ts';
import { createPlanTable, readPlansFile } from '../features/plans/plans.ts';
import { clientAddressBehind } from '../http/client-address.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import { serveHttp } from '../http/serve.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { startQueue } from '../queue/queue.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { createJobs, jobNames } from './jobs.ts';
import { loadKeyRing, openStorage } from './storage.ts';

export type Service = { url: string; stop(): Promise<void> };

/** Brings everything up in the order in which each part needs the ones before it. */
export const startService = async (config: Config, log: Log): Promise<Service> => {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { url: await start(config, log, (step) => undo.push(step)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const start = async (
  config: Config,
  log: Log,
  onStop: (step: () => Promise<unknown>) => void,
): Promise<string> => {
  const metrics = createMetrics();
  const plans = createPlanTable(
    config.plansFile ? await readPlansFile(config.plansFile) : undefined,
  );
  const clientAddress = clientAddressBehind(config.trustedProxies);

  const storage = await openStorage(config);
  onStop(storage.close);
  await migrateDatabase(storage.url);
  const ring = await loadKeyRing(config);

  const db = connectDatabase(storage.url, { name: 'holdfast' });
  onStop(() => closeDatabase(db));
  await requireRingFitsBots(db, ring);
  const health = watchDatabase(storage.url);
  onStop(health.stop);

  const queue = await startQueue(jobNames, {
    url: storage.url,
    isWorker: config.doesWork,
    log,
    metrics,
  });
  onStop(queue.stop);
  if (config.doesWork) await queue.work(createJobs({ db, ring, log }));

  const rateLimit = createRateLimit(config.redisUrl, log);
  onStop(async () => rateLimit.close());
  const { isReachable: isDatabaseReachable } = health;
  const app = createApp({
    ...{ ...config, db, isDatabaseReachable, queue, ring, plans, rateLimit },
    ...{ clientAddress, clock: systemClock, log, metrics },
  });
  const server = serveHttp(app, config);
  onStop(server.stop);
  return server.url;
};

import { loadDashboard } from '@holdfast/dashboard/build';
import type { Database } from '../db/connect.ts';
import { createDataDir } from '../db/embedded/data-dir-lock.ts';
import { watchDatabase } from '../db/health.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { observePools } from '../db/pool/usage.ts';
import { adaptToPooler } from '../db/require-session.ts';
import { readPlansFile } from '../features/plans/queries.ts';
import { createPlanTable } from '../features/plans/rules.ts';
import { protection } from '../features/protection/feature.ts';
import { keepFilesDaily } from '../http/dashboard/kept-files.ts';
import { mountDashboard } from '../http/dashboard/mount-dashboard.ts';
import { clientAddressBehind } from '../http/limits/client-address.ts';
import type { MachineCounts } from '../http/limits/machine-counts.ts';
import { openRateLimit } from '../http/limits/rate-limit.ts';
import type { Siblings } from '../http/operations.ts';
import { serveHttp } from '../http/serve.ts';
import {
  checkBlobStore,
  describeBlobStore,
  openBlobStore,
} from '../integrations/blobs/open-store.ts';
import { createSealedBlobs } from '../integrations/blobs/sealed-blobs.ts';
import { traceStore } from '../integrations/blobs/trace-store.ts';
import { openIpData } from '../integrations/ip-data/ip-data.ts';
import type { Mailer } from '../integrations/mailer.ts';
import { createLogMailer, createSmtpMailer, traceMailer } from '../integrations/mailer.ts';
import { systemClock, watchClockSteps } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { createMetrics, type Metrics } from '../kernel/metrics.ts';
import type { KeyRing } from '../kernel/seal.ts';
import type { Secret } from '../kernel/secret.ts';
import { createBreaker } from '../platform/client/breaker.ts';
import { cdnUrlOf, normalizeApiUrl } from '../platform/client/urls.ts';
import { createPlatformMetrics } from '../platform/metrics.ts';
import { createPlatformOAuth } from '../platform/oauth/oauth.ts';
import { createPlatform } from '../platform/platform.ts';
import { refusalsIn } from '../platform/queries.ts';
import { startQueue } from '../queue/queue.ts';
import { type ApiDependencies, createApi, createWorkerApp } from './api.ts';
import { startAside } from './aside/start-aside.ts';
import type { Config } from './config.ts';
import { openDatabases, openPool } from './databases.ts';
import { startGateway } from './gateway.ts';
import { createJobs, jobDefinitions } from './jobs.ts';
import { openEvents } from './live-pages.ts';
import { prepareDemo } from './local-mode/demo.ts';
import { createOutboxMailer, preparePayments, registerWebhooks } from './local-mode/payments.ts';
import { joinSimulator } from './local-mode/simulator-process.ts';
import { logWaiting } from './log-waiting.ts';
import type { OnStop, Step } from './on-stop.ts';
import { createOutageLog } from './outage-log.ts';
import type { SharedCounts } from './processes/shared-counts.ts';
import { requireRingFits } from './sealed-data.ts';
import { observeSelfBackup, type SelfBackup } from './self-backup/job.ts';
import { describeDatabase, loadKeyRing, openStorage } from './storage.ts';
import type { TracingSettings } from './tracing/settings.ts';

type Started = {
  url: string;
  /** The real platform, the one of PLATFORM_API_URL, or our simulator. */
  platform: { apiUrl: string; simulatorUrl?: string };
  /** A key of the demo account, in local mode. */
  demoKey: Secret | undefined;
};

export type Service = Started & { stop(): Promise<void> };

/** What a process has that shares its port with others of the same service. */
export type Together = { siblings: Siblings; counts: SharedCounts; metrics: Metrics };

type Parts = { log: Log; together: Together | undefined; onStop: OnStop };

/** Starts all parts, each after those it needs. `stop` ends them in the reverse order. */
export const startService = async (
  config: Config,
  log: Log,
  together?: Together,
): Promise<Service> => {
  const undo: Step[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const parts = { log, together, onStop: (step: Step) => undo.push(step) };
    return { ...(await start(config, parts)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const start = async (config: Config, parts: Parts): Promise<Started> => {
  const { together, onStop } = parts;
  const outage = createOutageLog(parts.log);
  onStop(async () => outage.stop());
  const { log } = outage;
  const steps = watchClockSteps(log);
  onStop(async () => steps.stop());
  const metrics = together?.metrics ?? createMetrics();
  // First, and so ended last: the last steps of all others are sent too.
  if (config.tracing) onStop(await startTracing(config.tracing, { log, metrics }));
  observePools(metrics.registry);
  const protectionMetrics = protection.createMetrics(metrics.registry);
  const plans = await loadPlans(config);
  const clientAddress = clientAddressBehind(config.trustedProxies);

  if (config.isLocal) await createDataDir(config.dataDir);
  const database = describeDatabase(config);
  const storage = await logWaiting(log, database, () => openStorage(config));
  onStop(storage.close);
  const onWaiting = (message: string) => log.info(message);
  const { directUrl } = storage;
  await logWaiting(log, database, () => migrateDatabase(directUrl, { onWaiting }));
  const url = await logWaiting(log, database, () => adaptToPooler(storage.url, directUrl));
  const ring = await loadKeyRing(config);
  const blobs = await logWaiting(log, describeBlobStore(config), () => openBlobs(config, ring));
  const platformAt = await findPlatform(config, log, onStop);
  const payments = await preparePayments(config, platformAt.simulatorUrl);

  const aside = startAside();
  onStop(aside.stop);

  const db = openPool(url, { dbPool: config.dbPool, log }, onStop);
  const health = watchDatabase(url, outage.onChange);
  onStop(health.stop);

  const forQueue = { url, directUrl, isWorker: config.doesWork, workerId: config.workerId };
  const queue = await logWaiting(log, database, () =>
    startQueue(jobDefinitions, { ...forQueue, log, metrics, onAnswer: health.noteAnswer }),
  );
  onStop(queue.stop);
  // Before anything is sealed, and after the queue's tables exist: they hold sealed tokens too.
  await requireRingFits(db, ring);
  const hasDemo = config.isLocal && config.servesApi;
  const demoKey = hasDemo ? await prepareDemo(db, { ...config, ring }) : undefined;
  const { platform, oauth } = connectPlatform(platformAt.apiUrl, { db, log, metrics });
  if (config.doesWork) {
    const tools = { db, ring, platform, oauth, blobs, aside, queue };
    const shared = { ...tools, plans, log, clock: systemClock };
    const mailer = traceMailer(chooseMailer(config, log, platformAt.simulatorUrl));
    const selfBackup = prepareSelfBackup(config, { url: directUrl, metrics });
    const own = { mailer, selfBackup, protectionMetrics };
    await queue.work(createJobs({ ...config, ...payments, ...shared, ...own }));
  }
  if (config.holdsBots) {
    const shared = { url, db, ring, queue, platform, log, metrics, name: config.workerId };
    const { apiUrl } = platformAt;
    onStop(startGateway({ ...shared, apiUrl, clock: systemClock, protectionMetrics }).stop);
  }
  const { isReachable: isDatabaseReachable } = health;
  const awaitDatabase = () => (isDatabaseReachable() ? undefined : health.recheck());
  const dependencies = {
    ...{ ...config, ...payments, isDatabaseReachable, awaitDatabase },
    ...{ queue, ring, platform, oauth, aside },
    ...openDatabases(db, { ...config, isDatabaseReachable, log, metrics }, onStop),
    ...{ blobs, plans, clientAddress, clock: systemClock, log, metrics },
    signInClient: config.platform.signInClient,
    siblings: together?.siblings,
    machineCounts: together?.counts.ofKeys,
    addressCounts: together?.counts.ofAddresses,
  };
  const events = config.servesApi ? openEvents(directUrl, dependencies) : undefined;
  if (events) onStop(events.stop);
  const app = events
    ? await createApiApp(config, { ...dependencies, events }, onStop)
    : createWorkerApp(dependencies);
  const listening = { sharesPort: together !== undefined, onRefusing: () => events?.endStreams() };
  const server = serveHttp(app, { ...config, ...listening });
  onStop(server.stop);
  const urls = { simulatorUrl: platformAt.simulatorUrl, serviceUrl: server.url };
  if (config.servesApi) await registerWebhooks(urls, payments.billing, log);
  return { url: server.url, platform: platformAt, demoKey };
};

/** The libraries for it are loaded only where it is configured. */
const startTracing = async (
  settings: TracingSettings,
  { log, metrics: { registry } }: { log: Log; metrics: Metrics },
): Promise<Step> => {
  const { openTracing } = await import('./tracing/open-tracing.ts');
  return openTracing(settings, { log, registry }).close;
};

type SharedDependencies = Omit<ApiDependencies, 'ipData' | 'rateLimit'> & {
  machineCounts: MachineCounts | undefined;
};

/** Loads what only an API process needs, which saves a worker's memory. */
const createApiApp = async (config: Config, dependencies: SharedDependencies, onStop: OnStop) => {
  const { log, metrics, machineCounts } = dependencies;
  const ipData = await openIpData(config.ipFiles, (source, sentence) =>
    log.warn({ source }, sentence),
  );
  // Reading the files leaves garbage of several times their size.
  ipData.ready.then(() => Bun.gc(true));
  const { registry } = metrics;
  const rateLimit = await openRateLimit(config.redisUrl, { log, registry, machineCounts });
  onStop(async () => rateLimit.close());
  const app = createApi({ ...dependencies, ipData, rateLimit });
  const dashboard = await loadDashboard();
  mountDashboard(app, dependencies.db, dashboard);
  onStop(await keepFilesDaily(dependencies, dashboard.files));
  return app;
};

const loadPlans = async ({ plansFile }: Config) =>
  createPlanTable(plansFile ? await readPlansFile(plansFile) : undefined);

const openBlobs = async (config: Config, ring: KeyRing) => {
  const store = openBlobStore(config);
  await checkBlobStore(store);
  return createSealedBlobs(traceStore(store), ring);
};

const prepareSelfBackup = (
  config: Config,
  { url, metrics }: { url: string; metrics: Metrics },
): SelfBackup | undefined => {
  if (!config.selfBackup) return undefined;
  observeSelfBackup(metrics.registry, config.selfBackup);
  return { ...config.selfBackup, url, store: openBlobStore(config) };
};

const chooseMailer = ({ mail }: Config, log: Log, simulatorUrl: string | undefined): Mailer => {
  if (mail.smtpUrl) return createSmtpMailer({ url: mail.smtpUrl, from: mail.from });
  return simulatorUrl === undefined
    ? createLogMailer(log)
    : createOutboxMailer(simulatorUrl, mail.from);
};

/** One circuit breaker for both, because the platform counts refusals by address. */
const connectPlatform = (
  apiUrl: string,
  dependencies: { db: Database; log: Log; metrics: Metrics },
) => {
  const breaker = createBreaker({
    store: refusalsIn(dependencies.db),
    onStoreFailure: (err) =>
      dependencies.log.warn({ err }, 'refusals of the platform are not shared'),
  });
  const shared = { metrics: createPlatformMetrics(dependencies.metrics.registry), breaker };
  return {
    platform: createPlatform({ apiUrl, cdnUrl: cdnUrlOf(apiUrl), ...shared }),
    oauth: createPlatformOAuth({ apiUrl: normalizeApiUrl(apiUrl), ...shared }),
  };
};

/** Without an address, in local mode, the simulator is the platform. */
const findPlatform = async (
  config: Config,
  log: Log,
  onStop: OnStop,
): Promise<Started['platform']> => {
  const { apiUrl } = config.platform;
  if (apiUrl !== undefined) return { apiUrl };
  const simulator = await joinSimulator(config, log);
  onStop(simulator.stop);
  return { apiUrl: `${simulator.url}/api`, simulatorUrl: simulator.url };
};

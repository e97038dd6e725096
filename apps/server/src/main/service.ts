import { loadDashboard } from '@holdfast/dashboard/build';
import { closeDatabase, connectDatabase, type Database, forRequests } from '../db/connect.ts';
import { watchDatabase } from '../db/health.ts';
import { createDataDir } from '../db/hold.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { ping } from '../db/queries.ts';
import { createPlanTable, readPlansFile } from '../features/plans/plans.ts';
import { clientAddressBehind } from '../http/client-address.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import { serveHttp } from '../http/serve.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { createMetrics, type Metrics } from '../kernel/metrics.ts';
import type { KeyRing } from '../kernel/seal.ts';
import type { Secret } from '../kernel/secret.ts';
import { watchForSteps } from '../kernel/steady-clock.ts';
import { checkBlobStore, describeBlobStore, openBlobStore } from '../integrations/blobs/open-store.ts';
import { createSealedBlobs } from '../integrations/blobs/sealed-blobs.ts';
import { openIpData } from '../integrations/ip-data/open-ip-data.ts';
import type { Mailer } from '../integrations/mail/mailer.ts';
import { createNoMailer } from '../integrations/mail/no-mailer.ts';
import { createSmtpMailer } from '../integrations/mail/smtp-mailer.ts';
import { createBreaker } from '../platform/breaker.ts';
import { createPlatformMetrics } from '../platform/metrics.ts';
import { createPlatformOAuth } from '../platform/oauth.ts';
import { createPlatform } from '../platform/platform.ts';
import { refusalsIn } from '../platform/queries.ts';
import { cdnUrlOf, normalizeApiUrl } from '../platform/urls.ts';
import { startQueue } from '../queue/queue.ts';
import { type AppTools, createApp, createWorkerApp } from './app.ts';
import type { Config } from './config.ts';
import { mountDashboard } from './dashboard.ts';
import { prepareDemo } from './demo.ts';
import { createJobs, jobNames } from './jobs.ts';
import { createOutboxMailer, introduceToSimulator, preparePayments } from './local-payments.ts';
import { createOutageLog } from './outage-log.ts';
import { sayWaiting } from './say-waiting.ts';
import { requireRingFits } from './sealed-data.ts';
import { joinSimulator } from './simulator-process.ts';
import { describeDatabase, loadKeyRing, openStorage } from './storage.ts';

type Started = {
  url: string;
  /** Where the platform is: the real one, the one that is set, or our own simulator. */
  platform: { apiUrl: string; simulatorUrl?: string };
  /** In local mode, a key of the demo account. */
  demoKey: Secret | undefined;
};

export type Service = Started & { stop(): Promise<void> };

type OnStop = (step: () => Promise<unknown>) => void;

/** Brings everything up in the order in which each part needs the ones before it. */
export const startService = async (config: Config, log: Log): Promise<Service> => {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await start(config, log, (step) => undo.push(step))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const start = async (config: Config, plainLog: Log, onStop: OnStop): Promise<Started> => {
  const outage = createOutageLog(plainLog);
  onStop(async () => outage.stop());
  const { log } = outage;
  const steps = watchForSteps(log);
  onStop(async () => steps.stop());
  const metrics = createMetrics();
  const plans = await loadPlans(config);
  const clientAddress = clientAddressBehind(config.trustedProxies);

  if (config.isLocal) await createDataDir(config.dataDir);
  const database = describeDatabase(config);
  const storage = await sayWaiting(log, database, () => openStorage(config));
  onStop(storage.close);
  const tell = (sentence: string) => log.info(sentence);
  await sayWaiting(log, database, () => migrateDatabase(storage.url, { tell }));
  const ring = await loadKeyRing(config);
  const blobs = await sayWaiting(log, describeBlobStore(config), () => openBlobs(config, ring));
  const platformAt = await findPlatform(config, log, onStop);
  const payments = await preparePayments(config, platformAt.simulatorUrl);

  const db = openPool(storage.url, { dbPool: config.dbPool, log }, onStop);
  const health = watchDatabase(storage.url, outage.onChange);
  onStop(health.stop);

  const forQueue = { url: storage.url, isWorker: config.doesWork, workerId: config.workerId };
  const queue = await sayWaiting(log, database, () =>
    startQueue(jobNames, { ...forQueue, log, metrics }),
  );
  onStop(queue.stop);
  // Before anything is sealed, and after the queue's tables are there: they hold sealed tokens too.
  await requireRingFits(db, ring);
  const hasDemo = config.isLocal && config.servesApi;
  const demoKey = hasDemo ? await prepareDemo(db, { ...config, ring }) : undefined;
  const { platform, oauth } = speakTo(platformAt.apiUrl, { db, log, metrics });
  if (config.doesWork) {
    const tools = { db, ring, platform, oauth, blobs, queue, plans, log, clock: systemClock };
    const mailer = chooseMailer(config, log, platformAt.simulatorUrl);
    await queue.work(createJobs({ ...config, ...payments, ...tools, mailer }));
  }
  const { isReachable: isDatabaseReachable } = health;
  const awaitDatabase = () => (isDatabaseReachable() ? undefined : health.lookAgain());
  const tools = {
    ...{ ...config, ...payments, isDatabaseReachable, awaitDatabase },
    ...{ queue, ring, platform, oauth },
    db: forRequests(db, isDatabaseReachable),
    ...{ blobs, plans, clientAddress, clock: systemClock, log, metrics },
    signInClient: config.platform.signInClient,
  };
  const app = config.servesApi
    ? await createWholeApp(config, tools, onStop)
    : createWorkerApp(tools);
  const server = serveHttp(app, config);
  onStop(server.stop);
  const place = { simulatorUrl: platformAt.simulatorUrl, serviceUrl: server.url };
  if (config.servesApi) await introduceToSimulator(place, payments.billing, log);
  return { url: server.url, platform: platformAt, demoKey };
};

const idleSeconds = 10;

/**
 * Connections that nobody uses are closed, but for one: to an empty pool the driver opens all at once
 * when the next statement comes, to others as many as are needed.
 */
const openPool = (
  url: string,
  { dbPool, log }: { dbPool: number; log: Log },
  onStop: OnStop,
): Database => {
  const onReplaced = () => log.warn('database connections that fell silent were replaced');
  const size = { poolSize: dbPool, idleSeconds };
  const db = connectDatabase(url, { name: 'holdfast', ...size, onReplaced });
  const using = setInterval(() => ping(db).catch(() => undefined), idleSeconds * 500);
  onStop(async () => {
    clearInterval(using);
    await closeDatabase(db);
  });
  return db;
};

type ApiTools = Omit<AppTools, 'ipData' | 'rateLimit'>;

/** What only those who are asked need, and a worker's memory is spared. */
const createWholeApp = async (config: Config, tools: ApiTools, onStop: OnStop) => {
  const { log, metrics } = tools;
  const ipData = await openIpData(config.ipFiles, (source, sentence) =>
    log.warn({ source }, sentence),
  );
  // Reading it leaves several times its size behind, which the runtime would keep for long.
  ipData.ready.then(() => Bun.gc(true));
  const { redisUrl: url } = config;
  const { registry } = metrics;
  const rateLimit = createRateLimit(url === undefined ? undefined : { url, log, registry });
  onStop(async () => rateLimit.close());
  const app = createApp({ ...tools, ipData, rateLimit });
  mountDashboard(app, await loadDashboard());
  return app;
};

const loadPlans = async ({ plansFile }: Config) =>
  createPlanTable(plansFile ? await readPlansFile(plansFile) : undefined);

const openBlobs = async (config: Config, ring: KeyRing) => {
  const store = openBlobStore(config);
  await checkBlobStore(store);
  return createSealedBlobs(store, ring);
};

const chooseMailer = ({ mail }: Config, log: Log, simulatorUrl: string | undefined): Mailer => {
  if (mail.smtpUrl) return createSmtpMailer({ url: mail.smtpUrl, from: mail.from });
  return simulatorUrl === undefined
    ? createNoMailer(log)
    : createOutboxMailer(simulatorUrl, mail.from);
};

/** One breaker for both: the platform counts refusals by address, whatever was asked. */
const speakTo = (apiUrl: string, tools: { db: Database; log: Log; metrics: Metrics }) => {
  const breaker = createBreaker({
    store: refusalsIn(tools.db),
    onStoreFailure: (err) => tools.log.warn({ err }, 'refusals of the platform are not shared'),
  });
  const shared = { metrics: createPlatformMetrics(tools.metrics.registry), breaker };
  return {
    platform: createPlatform({ apiUrl, cdnUrl: cdnUrlOf(apiUrl), ...shared }),
    oauth: createPlatformOAuth({ apiUrl: normalizeApiUrl(apiUrl), ...shared }),
  };
};

/** Only local mode has no address for it: there our own simulator takes its place. */
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

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultPlans, type KeyScope, type PlanName, type Plans } from '@holdfast/contract';
import { connectDatabase, type Database } from '../../src/db/connect.ts';
import type { Change } from '../../src/db/notify/change.ts';
import type { Replica } from '../../src/db/replica/replica.ts';
import { findOrCreateAccount, setPlan } from '../../src/features/accounts/queries.ts';
import type { BillingSettings } from '../../src/features/billing/events/process-event.ts';
import { createApiKey } from '../../src/features/keys/queries.ts';
import { createPlanTable } from '../../src/features/plans/rules.ts';
import { protection } from '../../src/features/protection/feature.ts';
import type { PullPauses } from '../../src/features/pulls/run/pull-run.ts';
import { clientAddressBehind } from '../../src/http/limits/client-address.ts';
import { openRateLimit } from '../../src/http/limits/rate-limit.ts';
import { serveHttp } from '../../src/http/serve.ts';
import type { BlobStore } from '../../src/integrations/blobs/blob-store.ts';
import { openBlobStore } from '../../src/integrations/blobs/open-store.ts';
import { createSealedBlobs, type SealedBlobs } from '../../src/integrations/blobs/sealed-blobs.ts';
import { openIpData } from '../../src/integrations/ip-data/ip-data.ts';
import type { Mailer } from '../../src/integrations/mailer.ts';
import { createLogMailer } from '../../src/integrations/mailer.ts';
import type { Aside } from '../../src/kernel/aside.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { createLog, type Log } from '../../src/kernel/log.ts';
import { createMetrics } from '../../src/kernel/metrics.ts';
import { generateMasterKey, type KeyRing, parseKeyRing } from '../../src/kernel/seal.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { type ApiDependencies, createApi } from '../../src/main/api.ts';
import { startAside } from '../../src/main/aside/start-aside.ts';
import { createJobs, jobDefinitions } from '../../src/main/jobs.ts';
import { cdnUrlOf } from '../../src/platform/client/urls.ts';
import { createPlatformMetrics } from '../../src/platform/metrics.ts';
import { createPlatformOAuth } from '../../src/platform/oauth/oauth.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { type Queue, startQueue } from '../../src/queue/queue.ts';
import { sharedAnswerCheck } from './answer-check.ts';
import { freshDatabase } from './database.ts';
import { collectChanges, type EventOptions, startEvents } from './events.ts';
import { patience as usualPatience } from './eventually.ts';
import { fastFolder } from './fast-folder.ts';
import { serviceUrl } from './pooled-url.ts';
import { sharedSimulator } from './simulator/start.ts';
import { writeIpFiles } from './verification/ip-files.ts';

/** The answer to a request, with its body parsed. */
export type Reply = {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  body: any;
};

export type CallOptions = {
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent as it is, without a content type. */
  raw?: BodyInit;
};

export type Tenant = {
  accountId: string;
  platformId: string;
  key: string;
  keyId: string;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
};

/** With the service's database, for what no request can do. */
export type OwnTenant = Tenant & { db: Database };

type TenantOptions = { plan?: PlanName; scopes?: KeyScope[] };

export type TestService = {
  db: Database;
  databaseUrl: string;
  ring: KeyRing;
  blobs: SealedBlobs;
  aside: Aside;
  queue: Queue;
  log: Log;
  /** The folder of its blob store. */
  dataDir: string;
  /** Every line the service logged so far. */
  logLines: string[];
  /** What was marked as changed for open pages, in order. */
  changes: Change[];
  /** Calls the application, with no key unless `headers` carry one. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Serves the application on a port. */
  listen(): { url: string; stop(): Promise<void> };
  /** A fresh account with a key. */
  newTenant(options?: TenantOptions): Promise<OwnTenant>;
  /** Another key for an account. */
  newKey(tenant: Tenant, scopes: KeyScope[]): Promise<OwnTenant>;
  stop(): Promise<void>;
};

type ServiceOptions = {
  databaseUrl?: string;
  /** Opens a standby, for lists. */
  openReplica?(primary: Database): Replica;
  ring?: KeyRing;
  clock?: Clock;
  baseUrl?: string;
  plans?: Plans;
  redisUrl?: string;
  /** Runs jobs too: all of them, or those of these names. */
  doesWork?: boolean | string[];
  /** The platform's API, where it is not the simulator that all tests share. */
  platformApiUrl?: string;
  trustedProxies?: string[];
  blobStore?: BlobStore;
  billing?: BillingSettings;
  pay?: ApiDependencies['pay'];
  mailer?: Mailer;
  pullPauses?: PullPauses;
  /** The time in which alerts are grouped, where it is not ten minutes. */
  alertWindowMs?: number;
  /** Whether the operator wants fire drills; yes, unless set. */
  runsDrills?: boolean;
  /** 1 for a test about the duration of requests. */
  patience?: number;
  /** Has streams of events, with these limits and times. */
  events?: EventOptions;
};

/** Secrets with which the tests sign as the providers. */
export const testBilling: BillingSettings = {
  signingSecret: new Secret('whsec_test'),
  prices: { price_business: 'BUSINESS' },
  cryptoProvider: 'oxapay',
  merchantSecret: new Secret('merchant-test'),
  graceDays: 7,
  earningsClearDays: 0,
};

/** The default plans without a limit of the request rate, which has its own tests. */
export const plansWithoutRateLimit = Object.fromEntries(
  Object.entries(defaultPlans).map(([name, plan]) => [
    name,
    { ...plan, apiRatePerTenSeconds: 1_000_000 },
  ]),
) as Plans;

/** Both providers, in the simulator that all tests share. */
const payAtSimulator = async (): Promise<ApiDependencies['pay']> => {
  const access = { apiUrl: (await sharedSimulator()).url, key: new Secret('sk_test_any') };
  return { card: access, crypto: access };
};

/** The whole application over a real database, called without a socket. */
export const startTestService = async (options: ServiceOptions = {}): Promise<TestService> => {
  const databaseUrl = options.databaseUrl ?? (await freshDatabase());
  const { patience = usualPatience } = options;
  const statementTimeoutMs = 4000 * patience;
  const { changes, onChanged, flush } = collectChanges(() => db, options.events);
  const url = serviceUrl(databaseUrl);
  const db = connectDatabase(url, { name: 'holdfast-test', statementTimeoutMs, onChanged });
  const ring = options.ring ?? parseKeyRing(generateMasterKey());
  const logLines: string[] = [];
  const log = createLog({ write: (line) => logLines.push(line) });
  const metrics = createMetrics();
  const { doesWork = false } = options;
  const isWorker = doesWork !== false;
  const forQueue = { url, directUrl: databaseUrl, isWorker, log, metrics };
  const queue = await startQueue(jobDefinitions, forQueue);
  const apiUrl = options.platformApiUrl ?? (await sharedSimulator()).apiUrl;
  const platformMetrics = createPlatformMetrics(metrics.registry);
  const platform = createPlatform({
    apiUrl,
    cdnUrl: cdnUrlOf(apiUrl),
    metrics: platformMetrics,
    firstBackOffMs: 20,
  });
  const oauth = createPlatformOAuth({ apiUrl, metrics: platformMetrics });
  const plans = createPlanTable(options.plans ?? plansWithoutRateLimit);
  const dataDir = await mkdtemp(join(fastFolder(), 'holdfast-test-'));
  const blobs = createSealedBlobs(options.blobStore ?? openBlobStore({ dataDir }), ring);
  const aside = startAside(patience);
  const { clock = systemClock, billing = testBilling, mailer = createLogMailer(log) } = options;
  const { baseUrl = 'http://localhost:3000', redisUrl, runsDrills = true } = options;
  const { registry } = metrics;
  const pay = options.pay ?? (await payAtSimulator());
  if (isWorker) {
    const { alertWindowMs } = options;
    const jobs = createJobs({
      ...(alertWindowMs !== undefined && { alertWindowMs }),
      ...{ db, ring, platform, oauth, blobs, aside, queue, plans, log },
      ...{ billing, mailer, baseUrl, clock, pay, runsDrills },
      protectionMetrics: protection.createMetrics(registry),
      pullPauses: { firstPauseMs: 100, secondRoundAfterMs: 100, ...options.pullPauses },
    });
    const isWanted = ({ name }: { name: string }) => doesWork === true || doesWork.includes(name);
    await queue.work(jobs.filter(isWanted));
  }

  const events = startEvents(databaseUrl, { db, log, metrics }, options.events);
  const tools: ApiDependencies = {
    db,
    replica: options.openReplica?.(db),
    isDatabaseReachable: () => true,
    patience,
    queue,
    ring,
    platform,
    oauth,
    signInClient: { clientId: '498605767562051587', clientSecret: new Secret('pretended') },
    ipData: await openIpData(await writeIpFiles(dataDir), (_, sentence) => {
      throw new Error(sentence);
    }),
    captcha: {},
    billing,
    pay,
    blobs,
    aside,
    events,
    plans,
    rateLimit: await openRateLimit(redisUrl, { log, registry }),
    clientAddress: clientAddressBehind(options.trustedProxies ?? []),
    clock,
    log,
    metrics,
    metricsToken: undefined,
    baseUrl,
    runsDrills,
  };
  const app = createApi(tools);
  const fetchReply: TestService['call'] = async (method, path, callOptions = {}) =>
    readReply(
      await app.fetch(requestTo(method, path, callOptions), { peerAddress: () => '127.0.0.1' }),
    );
  const readServed = async () => (await fetchReply('GET', '/openapi.json')).text;
  const checkAnswer = await sharedAnswerCheck(readServed);
  const call: TestService['call'] = async (method, path, callOptions) => {
    const reply = await fetchReply(method, path, callOptions);
    checkAnswer(method, path, reply);
    return reply;
  };

  const tenantOf = (
    accountId: string,
    platformId: string,
    key: string,
    keyId: string,
  ): OwnTenant => ({
    accountId,
    platformId,
    key,
    keyId,
    db,
    call: (method, path, { headers, ...rest } = {}) =>
      call(method, path, { ...rest, headers: { authorization: `Bearer ${key}`, ...headers } }),
  });

  return {
    ...{ db, databaseUrl, ring, blobs, aside, queue, log, dataDir, logLines, changes, call },
    listen: () => serveHttp(app, { host: '127.0.0.1', port: 0, onRefusing: events.endStreams }),
    async newTenant({ plan = 'ENTERPRISE', scopes = ['*'] }: TenantOptions = {}) {
      const platformId = randomPlatformId();
      return db.transaction(async (tx) => {
        const user = await findOrCreateAccount(tx, platformId);
        await setPlan(tx, user.id, plan);
        const request = { name: 'test', scopes, expiresAt: null };
        const created = await createApiKey(tx, user.id, { type: 'SYSTEM', id: null }, request);
        return tenantOf(user.id, platformId, created.key, created.id);
      });
    },
    async newKey({ accountId, platformId }, scopes) {
      const request = { name: 'test', scopes, expiresAt: null };
      const created = await db.transaction((tx) =>
        createApiKey(tx, accountId, { type: 'SYSTEM', id: null }, request),
      );
      return tenantOf(accountId, platformId, created.key, created.id);
    },
    async stop() {
      tools.rateLimit.close();
      tools.replica?.stop();
      await events.stop();
      await queue.stop();
      await aside.stop();
      await flush();
      await db.$client.close({ timeout: 1 });
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

export const randomPlatformId = (): string =>
  String(10n ** 17n + BigInt(Math.floor(Math.random() * 1e15)) * 100n);

const requestTo = (method: string, path: string, { body, raw, headers }: CallOptions): Request =>
  new Request(`http://localhost:3000${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
  });

const readReply = async (response: Response): Promise<Reply> => {
  const text = await response.text();
  const isPlain = !response.headers.has('content-encoding');
  const isJson = isPlain && response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
};

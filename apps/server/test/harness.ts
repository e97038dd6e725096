import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPlans, type KeyScope, type PlanName, type Plans } from '@holdfast/contract';
import { connectDatabase, type Database } from '../src/db/connect.ts';
import type { BillingSettings } from '../src/features/billing/tools.ts';
import { mintKeyFor } from '../src/features/keys/mint.ts';
import { createPlanTable } from '../src/features/plans/plans.ts';
import { findOrCreateUser, setPlan } from '../src/features/accounts/queries.ts';
import { clientAddressBehind } from '../src/http/client-address.ts';
import { createRateLimit } from '../src/http/rate-limit.ts';
import { type Clock, systemClock } from '../src/kernel/clock.ts';
import { createLog, type Log } from '../src/kernel/log.ts';
import { createMetrics } from '../src/kernel/metrics.ts';
import { generateMasterKey, type KeyRing, parseKeyRing } from '../src/kernel/seal.ts';
import { Secret } from '../src/kernel/secret.ts';
import { type AppTools, createApp } from '../src/main/app.ts';
import { createJobs, jobNames } from '../src/main/jobs.ts';
import { openBlobStore } from '../src/integrations/blobs/open-store.ts';
import { createSealedBlobs, type SealedBlobs } from '../src/integrations/blobs/sealed-blobs.ts';
import type { BlobStore } from '../src/integrations/blobs/store.ts';
import { openIpData } from '../src/integrations/ip-data/open-ip-data.ts';
import type { Mailer } from '../src/integrations/mail/mailer.ts';
import { createNoMailer } from '../src/integrations/mail/no-mailer.ts';
import { createPlatformMetrics } from '../src/platform/metrics.ts';
import { createPlatformOAuth } from '../src/platform/oauth.ts';
import { createPlatform } from '../src/platform/platform.ts';
import { cdnUrlOf } from '../src/platform/urls.ts';
import { type Queue, startQueue } from '../src/queue/queue.ts';
import { sharedAnswerCheck } from './answer-check.ts';
import { freshDatabase } from './database.ts';
import { patience as usualPatience } from './eventually.ts';
import { writeIpFiles } from './ip-files.ts';
import { sharedSimulator } from './simulator.ts';

/** What a request was answered, ready to look at. */
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

/** With the service's own database, for what no request can bring about. */
export type OwnTenant = Tenant & { db: Database };

type TenantOptions = { plan?: PlanName; scopes?: KeyScope[] };

export type TestService = {
  db: Database;
  databaseUrl: string;
  ring: KeyRing;
  blobs: SealedBlobs;
  queue: Queue;
  log: Log;
  /** Where the files of its blob store lie. */
  dataDir: string;
  /** Every line the service logged so far. */
  logLines: string[];
  /** Calls the application, with no key unless `headers` carry one. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** A fresh account with a key. */
  newTenant(options?: TenantOptions): Promise<OwnTenant>;
  /** Another key for an account. */
  newKey(tenant: Tenant, scopes: KeyScope[]): Promise<OwnTenant>;
  stop(): Promise<void>;
};

type ServiceOptions = {
  databaseUrl?: string;
  ring?: KeyRing;
  clock?: Clock;
  baseUrl?: string;
  plans?: Plans;
  redisUrl?: string;
  /** Does queued work too: all of it, or that of these names. */
  doesWork?: boolean | string[];
  /** The platform's API, where it is not the simulator that all tests share. */
  platformApiUrl?: string;
  trustedProxies?: string[];
  blobStore?: BlobStore;
  billing?: BillingSettings;
  pay?: AppTools['pay'];
  mailer?: Mailer;
  /** 1 where the test is about how long a request may take. */
  patience?: number;
};

/** Secrets that the tests sign with, in the providers' place. */
export const testBilling: BillingSettings = {
  signingSecret: new Secret('whsec_test'),
  prices: { price_business: 'BUSINESS' },
  cryptoProvider: 'oxapay',
  merchantSecret: new Secret('merchant-test'),
  graceDays: 7,
};

/** The plans as they are, but for the request rate, which is a matter of its own tests. */
export const unhurriedPlans = Object.fromEntries(
  Object.entries(defaultPlans).map(([name, plan]) => [
    name,
    { ...plan, apiRatePerTenSeconds: 1_000_000 },
  ]),
) as Plans;

/** Both providers, in the simulator that all tests share. */
const payAtSimulator = async (): Promise<AppTools['pay']> => {
  const access = { apiUrl: (await sharedSimulator()).url, key: new Secret('sk_test_any') };
  return { card: access, crypto: access };
};

/** The whole application over a real database, called without a socket. */
export const startTestService = async (options: ServiceOptions = {}): Promise<TestService> => {
  const databaseUrl = options.databaseUrl ?? (await freshDatabase());
  const { patience = usualPatience } = options;
  const statementTimeoutMs = 4000 * patience;
  const db = connectDatabase(databaseUrl, { name: 'holdfast-test', statementTimeoutMs });
  const ring = options.ring ?? parseKeyRing(generateMasterKey());
  const logLines: string[] = [];
  const log = createLog({ write: (line) => logLines.push(line) });
  const metrics = createMetrics();
  const { doesWork = false } = options;
  const isWorker = doesWork !== false;
  const queue = await startQueue(jobNames, { url: databaseUrl, isWorker, log, metrics });
  const apiUrl = options.platformApiUrl ?? (await sharedSimulator()).apiUrl;
  const platformMetrics = createPlatformMetrics(metrics.registry);
  const platform = createPlatform({
    apiUrl,
    cdnUrl: cdnUrlOf(apiUrl),
    metrics: platformMetrics,
    firstBackOffMs: 20,
  });
  const oauth = createPlatformOAuth({ apiUrl, metrics: platformMetrics });
  const plans = createPlanTable(options.plans ?? unhurriedPlans);
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const blobs = createSealedBlobs(options.blobStore ?? openBlobStore({ dataDir }), ring);
  const { clock = systemClock, billing = testBilling, mailer = createNoMailer(log) } = options;
  const { baseUrl = 'http://localhost:3000', redisUrl: url } = options;
  const redis = url === undefined ? undefined : { url, log, registry: metrics.registry };
  const pay = options.pay ?? (await payAtSimulator());
  if (isWorker) {
    const jobs = createJobs({
      ...{ db, ring, platform, oauth, blobs, queue, plans, log },
      ...{ billing, mailer, baseUrl, clock, pay },
      pullPauses: { firstPauseMs: 100, secondRoundAfterMs: 100 },
    });
    const isWanted = ({ name }: { name: string }) => doesWork === true || doesWork.includes(name);
    await queue.work(jobs.filter(isWanted));
  }

  const tools: AppTools = {
    db,
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
    plans,
    rateLimit: createRateLimit(redis),
    clientAddress: clientAddressBehind(options.trustedProxies ?? []),
    clock,
    log,
    metrics,
    metricsToken: undefined,
    baseUrl,
  };
  const app = createApp(tools);
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

  const tenantOf = (accountId: string, platformId: string, key: string, keyId: string): OwnTenant => ({
    accountId,
    platformId,
    key,
    keyId,
    db,
    call: (method, path, { headers, ...rest } = {}) =>
      call(method, path, { ...rest, headers: { authorization: `Bearer ${key}`, ...headers } }),
  });

  return {
    db,
    databaseUrl,
    ring,
    blobs,
    queue,
    log,
    dataDir,
    logLines,
    call,
    async newTenant({ plan = 'ENTERPRISE', scopes = ['*'] }: TenantOptions = {}) {
      const platformId = randomPlatformId();
      return db.transaction(async (tx) => {
        const user = await findOrCreateUser(tx, platformId);
        await setPlan(tx, user.id, plan);
        const wish = { name: 'test', scopes, expiresAt: null };
        const minted = await mintKeyFor(tx, user.id, { type: 'SYSTEM', id: null }, wish);
        return tenantOf(user.id, platformId, minted.key, minted.id);
      });
    },
    async newKey({ accountId, platformId }, scopes) {
      const wish = { name: 'test', scopes, expiresAt: null };
      const minted = await db.transaction((tx) =>
        mintKeyFor(tx, accountId, { type: 'SYSTEM', id: null }, wish),
      );
      return tenantOf(accountId, platformId, minted.key, minted.id);
    },
    async stop() {
      tools.rateLimit.close();
      await queue.stop();
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

/** The shortest bodies that make a bot and a server; the token is one of that application. */
export const newBotBody = (changes: object = {}) => ({
  ...botBodyOf(randomPlatformId()),
  ...changes,
});

const botBodyOf = (clientId: string) => ({
  botToken: `${btoa(clientId)}.token-value`,
  clientId,
  clientSecret: 'client-secret-value',
  publicKey: 'a'.repeat(64),
  redirectUri: 'https://example.com/callback',
  name: 'Gatekeeper',
});

export const createBot = async (tenant: Tenant, changes: object = {}): Promise<string> => {
  const reply = await tenant.call('POST', '/api/v1/bots', { body: newBotBody(changes) });
  if (reply.status !== 201) throw new Error(`No bot: ${reply.text}`);
  return reply.body.data.id;
};

/** A server, with the account's first bot or a new one. */
export const createServer = async (tenant: Tenant, changes: object = {}): Promise<string> => {
  const bots = await tenant.call('GET', '/api/v1/bots');
  const customBotId = bots.body.data[0]?.id ?? (await createBot(tenant));
  const body = { platformGuildId: randomPlatformId(), customBotId, name: 'Harbour', ...changes };
  const reply = await tenant.call('POST', '/api/v1/servers', { body });
  if (reply.status !== 201) throw new Error(`No server: ${reply.text}`);
  return reply.body.data.id;
};

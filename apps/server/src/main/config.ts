import { join } from 'node:path';
import { planName } from '@holdfast/contract';
import { z } from 'zod';
import { defaultPoolSize } from '../db/connect.ts';
import { parseDatabaseUrl, splitHosts } from '../db/database-url.ts';
import { Secret } from '../kernel/secret.ts';
import { findMissing } from './missing-settings.ts';
import { processesSetting, tooManyProcesses } from './processes/plan-processes.ts';
import { readSettings } from './secret-files.ts';
import { readTracing, tracingEnvironment } from './tracing/settings.ts';

/** Price id of the card provider → plan. */
const priceList = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('Must be JSON');
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), planName));

/** Scheme, host and port only: pages, cookies and the origin check are at the root. */
const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url === null || `${url.origin}/` === url.href;
};

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ });

/** One host, or several after commas, of which one at a time takes writes. */
const databaseUrl = z.string().superRefine((url, context) => {
  const wrong = splitHosts(url).flatMap((one) => postgresUrl.safeParse(one).error?.issues ?? [])[0];
  if (wrong) return context.addIssue(wrong.message);
  try {
    parseDatabaseUrl(url);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error));
  }
});

/** One address, also of a balancer before several: each read asks the server it got how far it is. */
const replicaUrl = z
  .string()
  .refine((url) => splitHosts(url).length === 1, 'Must name one host')
  .refine(
    (url) => !URL.parse(url)?.searchParams.has('target_session_attrs'),
    'target_session_attrs is not supported here: remove it from the URL',
  )
  .pipe(databaseUrl);

/** Every setting. `.env.example` documents them. */
const environment = z.object({
  NODE_ENV: z.enum(['production', 'development', 'test']).optional(),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().optional(),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .refine(isOrigin, 'Must be an origin, such as https://holdfast.example.org: no path, no query')
    .optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DATABASE_REPLICA_URL: replicaUrl.optional(),
  DB_POOL: z.coerce.number().int().min(2).max(500).default(defaultPoolSize),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  BLOB_URL: z
    .string()
    .regex(/^(file|s3):/, 'Must begin with file: or s3:')
    .optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  MASTER_KEYS: z.string().optional(),
  PLATFORM_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  PLATFORM_CLIENT_ID: z.string().regex(/^\d+$/, 'Must be digits only').optional(),
  PLATFORM_CLIENT_SECRET: z.string().optional(),
  CAPTCHA_SITE_KEY: z.string().optional(),
  CAPTCHA_SECRET: z.string().optional(),
  CAPTCHA_VERIFY_URL: z.url({ protocol: /^https?$/ }).optional(),
  GEOIP_CITY_FILE: z.string().optional(),
  GEOIP_ASN_FILE: z.string().optional(),
  VPN_ASNS_FILE: z.string().optional(),
  BILLING_SIGNING_SECRET: z.string().optional(),
  BILLING_PRICES: priceList.optional(),
  CRYPTO_PROVIDER: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, 'Must be 1 to 32 small letters, digits and hyphens')
    .refine((name) => name !== 'billing' && name !== 'v1', 'Is the name of another path')
    .default('oxapay'),
  CRYPTO_MERCHANT_SECRET: z.string().optional(),
  BILLING_API_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).pathname === '/', 'Must not have a path')
    .optional(),
  BILLING_API_KEY: z.string().optional(),
  CRYPTO_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  CRYPTO_API_KEY: z.string().optional(),
  PAYMENT_GRACE_DAYS: z.coerce.number().int().min(0).max(365).default(7),
  EARNINGS_CLEAR_DAYS: z.coerce.number().int().min(0).max(365).optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/, 'Must be an e-mail address, with or without a name')
    .optional(),
  SIMULATOR_PORT: z.coerce.number().int().min(0).max(65_535).default(3001),
  TRUSTED_PROXIES: z.string().default(''),
  PLANS_FILE: z.string().optional(),
  ROLE: z.enum(['all', 'api', 'worker', 'gateway']).default('all'),
  PROCESSES: processesSetting,
  WORKER_ID: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'Must be 1 to 64 letters, digits, dots, hyphens and underscores')
    .optional(),
  METRICS_TOKEN: z.string().min(1).optional(),
  FIRE_DRILLS: z.enum(['on', 'off']).default('on'),
  SELF_BACKUP_TO: z
    .string()
    .regex(/^(?![a-z][a-z0-9+.-]+:)/i, 'Must be a folder: an address such as s3:// is none')
    .optional(),
  SELF_BACKUP_AT: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time of the day (UTC), such as 03:10')
    .default('03:10'),
  SELF_BACKUP_KEEP: z.coerce.number().int().min(1).max(1000).default(7),
  ...tracingEnvironment,
  DRAIN_SECONDS: z.coerce.number().min(0).max(60).optional(),
});

type Settings = z.output<typeof environment>;

/** Longer than the supplied load balancer files need to notice; without the API there is no balancer. */
const drainSecondsOf = ({ DRAIN_SECONDS, ROLE }: Settings, isProduction: boolean): number =>
  hasRole(ROLE, 'api') ? (DRAIN_SECONDS ?? (isProduction ? 6 : 0)) : 0;

const hasRole = (role: Settings['ROLE'], part: 'api' | 'worker' | 'gateway'): boolean =>
  role === 'all' || role === part;

/** What this service does, and by how many processes and connections. */
const rolesOf = ({ ROLE, PROCESSES, DB_POOL }: Settings) => ({
  servesApi: hasRole(ROLE, 'api'),
  doesWork: hasRole(ROLE, 'worker'),
  holdsBots: hasRole(ROLE, 'gateway'),
  processes: PROCESSES,
  dbPool: DB_POOL,
});

const realPlatform = 'https://discord.com/api';
const realCardProvider = 'https://api.stripe.com';
const realCryptoProvider = 'https://api.oxapay.com';

/** The simulator accepts any. */
const simulatedClient = { clientId: '498605767562051587', clientSecret: 'simulated' };

export type Config = ReturnType<typeof readConfig>;

/** Reads and checks all settings at once, so that one start reports every mistake. */
export const readConfig = (env: Record<string, string | undefined>) => {
  const { given, problems: unreadable } = readSettings(env);
  const parsed = environment.safeParse(given);
  const isProduction = given.NODE_ENV === 'production';
  const problems = [
    ...unreadable,
    ...(parsed.success ? [] : [`Settings that cannot be used:\n${z.prettifyError(parsed.error)}`]),
    ...findMissing(given, isProduction),
    ...(parsed.success ? tooManyProcesses(rolesOf(parsed.data)) : []),
  ];
  if (problems.length > 0 || !parsed.success) throw new Error(problems.join('\n'));
  const settings = parsed.data;
  const isLocal = !isProduction && settings.PLATFORM_CLIENT_ID === undefined;

  const baseUrl = withoutSlash(settings.BASE_URL ?? `http://localhost:${settings.PORT}`);
  return {
    isProduction,
    /** Without credentials of the real platform: the simulator takes its place. */
    isLocal,
    port: settings.PORT,
    drainMs: drainSecondsOf(settings, isProduction) * 1000,
    host: chooseHost(settings.HOST, { isLocal, isProduction }),
    baseUrl,
    ...placesIn(settings.DATA_DIR),
    placesIn,
    isDataDirSet: given.DATA_DIR !== undefined,
    databaseUrl: settings.DATABASE_URL,
    databaseDirectUrl: settings.DATABASE_DIRECT_URL,
    databaseReplicaUrl: settings.DATABASE_REPLICA_URL,
    redisUrl: settings.REDIS_URL,
    blobUrl: secretOf(settings.BLOB_URL),
    credentials: {
      accessKeyId: settings.AWS_ACCESS_KEY_ID,
      secretAccessKey: secretOf(settings.AWS_SECRET_ACCESS_KEY),
      sessionToken: secretOf(settings.AWS_SESSION_TOKEN),
    },
    masterKeys: secretOf(settings.MASTER_KEYS),
    platform: readPlatform(settings, isLocal),
    captcha: {
      siteKey: settings.CAPTCHA_SITE_KEY,
      secret: secretOf(settings.CAPTCHA_SECRET),
      verifyUrl: settings.CAPTCHA_VERIFY_URL,
    },
    ipFiles: {
      cityFile: settings.GEOIP_CITY_FILE,
      asnFile: settings.GEOIP_ASN_FILE,
      vpnAsnsFile: settings.VPN_ASNS_FILE,
    },
    billing: readBilling(settings, isLocal),
    pay: {
      card: accessOf(settings.BILLING_API_KEY, settings.BILLING_API_URL ?? realCardProvider),
      crypto: accessOf(settings.CRYPTO_API_KEY, settings.CRYPTO_API_URL ?? realCryptoProvider),
    },
    mail: {
      smtpUrl: secretOf(settings.SMTP_URL),
      from: settings.MAIL_FROM ?? `Holdfast <holdfast@${new URL(baseUrl).hostname}>`,
    },
    simulatorPort: settings.SIMULATOR_PORT,
    trustedProxies: settings.TRUSTED_PROXIES.split(',')
      .map((proxy) => proxy.trim())
      .filter(Boolean),
    plansFile: settings.PLANS_FILE,
    ...rolesOf(settings),
    runsDrills: settings.FIRE_DRILLS === 'on',
    workerId: settings.WORKER_ID,
    selfBackup: readSelfBackup(settings),
    metricsToken: secretOf(settings.METRICS_TOKEN),
    tracing: readTracing(settings),
  };
};

const placesIn = (dataDir: string) => ({ dataDir, masterKeyFile: join(dataDir, 'master.keys') });

/** Without an address, local mode uses its own simulator, whose address is known once it runs. */
const readPlatform = (settings: Settings, isLocal: boolean) => {
  const apiUrl = settings.PLATFORM_API_URL ?? (isLocal ? undefined : realPlatform);
  return {
    apiUrl: apiUrl === undefined ? undefined : withoutSlash(apiUrl),
    signInClient: {
      clientId: settings.PLATFORM_CLIENT_ID ?? simulatedClient.clientId,
      clientSecret: new Secret(settings.PLATFORM_CLIENT_SECRET ?? simulatedClient.clientSecret),
    },
  };
};

const readBilling = (settings: Settings, isLocal: boolean) => ({
  signingSecret: secretOf(settings.BILLING_SIGNING_SECRET),
  prices: settings.BILLING_PRICES ?? {},
  cryptoProvider: settings.CRYPTO_PROVIDER,
  merchantSecret: secretOf(settings.CRYPTO_MERCHANT_SECRET),
  graceDays: settings.PAYMENT_GRACE_DAYS,
  // Whoever tries the service out has no time to wait.
  earningsClearDays: settings.EARNINGS_CLEAR_DAYS ?? (isLocal ? 0 : 7),
});

const readSelfBackup = (settings: Settings) => {
  const { SELF_BACKUP_TO: to, SELF_BACKUP_KEEP: keep, SELF_BACKUP_AT: at } = settings;
  if (to === undefined) return undefined;
  const [hour = 0, minute = 0] = at.split(':').map(Number);
  return { to, keep, hour, minute };
};

/** Without a key the provider cannot be used. */
const accessOf = (key: string | undefined, apiUrl: string) =>
  key === undefined ? undefined : { apiUrl: withoutSlash(apiUrl), key: new Secret(key) };

const secretOf = (text: string | undefined): Secret | undefined =>
  text === undefined ? undefined : new Secret(text);

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

const loopback = ['127.0.0.1', '::1', 'localhost'];

const chooseHost = (
  host: string | undefined,
  { isLocal, isProduction }: { isLocal: boolean; isProduction: boolean },
): string => {
  if (isLocal && host !== undefined && !loopback.includes(host)) {
    throw new Error(
      `HOST=${host}: local mode listens on loopback only; set PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET to leave it`,
    );
  }
  return host ?? (isProduction ? '0.0.0.0' : '127.0.0.1');
};

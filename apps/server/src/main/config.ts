import { join } from 'node:path';
import { z } from 'zod';
import { Secret } from '../kernel/secret.ts';

/** Every setting, by environment. `.env.example` lists them for people. */
const environment = z.object({
  NODE_ENV: z.string().optional(),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().optional(),
  BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  MASTER_KEYS: z.string().optional(),
  TRUSTED_PROXIES: z.string().default(''),
  PLANS_FILE: z.string().optional(),
  ROLE: z.enum(['all', 'api', 'worker']).default('all'),
  METRICS_TOKEN: z.string().min(1).optional(),
});

const neededInProduction = ['BASE_URL', 'DATABASE_URL', 'MASTER_KEYS'] as const;

export type Config = ReturnType<typeof readConfig>;

/** Reads and checks all settings at once, so that one start tells everything that is wrong. */
export const readConfig = (env: Record<string, string | undefined>) => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success)
    throw new Error(`Settings that cannot be used:\n${z.prettifyError(parsed.error)}`);
  const settings = parsed.data;
  const isLocal = settings.NODE_ENV !== 'production';
  requireForProduction(settings, isLocal);

  const dataDir = settings.DATA_DIR;
  return {
    isLocal,
    port: settings.PORT,
    host: chooseHost(settings.HOST, isLocal),
    baseUrl: (settings.BASE_URL ?? `http://localhost:${settings.PORT}`).replace(/\/+$/, ''),
    dataDir,
    masterKeyFile: join(dataDir, 'master.keys'),
    databaseUrl: settings.DATABASE_URL,
    redisUrl: settings.REDIS_URL,
    masterKeys: settings.MASTER_KEYS === undefined ? undefined : new Secret(settings.MASTER_KEYS),
    trustedProxies: settings.TRUSTED_PROXIES.split(',')
      .map((proxy) => proxy.trim())
      .filter(Boolean),
    plansFile: settings.PLANS_FILE,
    servesApi: settings.ROLE !== 'worker',
    doesWork: settings.ROLE !== 'api',
    metricsToken:
      settings.METRICS_TOKEN === undefined ? undefined : new Secret(settings.METRICS_TOKEN),
  };
};

const requireForProduction = (settings: z.output<typeof environment>, isLocal: boolean): void => {
  const missing = neededInProduction.filter((name) => settings[name] === undefined);
  if (isLocal || missing.length === 0) return;
  const list = missing.map((name) => `  ${name}`).join('\n');
  throw new Error(
    `Production needs these settings, which are missing:\n${list}\n.env.example explains them.`,
  );
};

const loopback = ['127.0.0.1', '::1', 'localhost'];

const chooseHost = (host: string | undefined, isLocal: boolean): string => {
  if (!isLocal) return host ?? '0.0.0.0';
  if (host !== undefined && !loopback.includes(host)) {
    throw new Error(`HOST=${host}: local mode listens on loopback only; set NODE_ENV=production`);
  }
  return host ?? '127.0.0.1';
};

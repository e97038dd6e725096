import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { z } from 'zod';
import { findRunningEmbeddedPostgres } from '../apps/server/src/db/embedded.ts';
import { type Load, startLoad } from './load.ts';
import { type Listener, runAdmin, startListener } from './processes.ts';
import { controlOf, type Simulator } from './simulator.ts';

/** What every part measures in: the running service, its database, and a client. */
export type World = {
  service: Listener;
  /** The pretend platform that the service speaks to. */
  simulator: Simulator;
  databaseUrl: string;
  sql: SQL;
  load: Load;
  /** The settings of the service; another process over the same data needs the same. */
  env: Environment;
  admin(...args: string[]): Promise<unknown>;
  newTenant(): Promise<Tenant>;
  stop(): Promise<void>;
};

export type Tenant = { key: string; accountId: string };

/** The request rate is a limit of the plan, not of the machine, and would end every measurement. */
const plans = { ENTERPRISE: { apiRatePerTenSeconds: 1_000_000_000 } };

/** Signs in the card provider's place. */
export const billingSecret = 'whsec_bench';

type Environment = Record<string, string>;

/** Those that run, also while they are still being made. */
const stops = new Set<() => Promise<void>>();

/** For when a measurement is broken off: it may have made worlds of its own. */
export const stopAllWorlds = async (): Promise<void> => {
  await Promise.allSettled([...stops].map((stop) => stop()));
};

/** `settings` are the service's, on top of what every part needs. */
export const createWorld = async (settings: Environment = {}): Promise<World> => {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    stops.delete(stop);
    for (const step of undo.splice(0).reverse()) await step();
  };
  stops.add(stop);
  try {
    return { ...(await start(settings, (step) => undo.push(step))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const start = async (
  settings: Environment,
  onStop: (step: () => Promise<unknown>) => void,
): Promise<Omit<World, 'stop'>> => {
  const folder = await makeFolder();
  onStop(() => rm(folder, { recursive: true, force: true }));
  const plansFile = join(folder, 'plans.json');
  await Bun.write(plansFile, JSON.stringify(plans));
  const platform = await startListener('simulator', {});
  onStop(platform.stop);
  const simulator = controlOf(platform.url);
  const env = {
    ...{ DATA_DIR: folder, PLANS_FILE: plansFile },
    PLATFORM_API_URL: `${platform.url}/api`,
    BILLING_SIGNING_SECRET: billingSecret,
    // Newcomers and members come from addresses of their own.
    TRUSTED_PROXIES: '127.0.0.1',
    ...settings,
  };

  const service = await startListener('service', env);
  onStop(service.stop);
  const databaseUrl = await findRunningEmbeddedPostgres(folder);
  if (databaseUrl === undefined) throw new Error('The database of the service was not found');
  const sql = new SQL(databaseUrl, { max: 2 });
  onStop(() => sql.close());
  const load = startLoad();
  onStop(load.stop);

  const admin = (...args: string[]) => runAdmin(env, ...args);
  return { service, simulator, databaseUrl, sql, load, env, admin, newTenant: tenantMaker(admin) };
};

/** When root starts it, PostgreSQL runs as another user, who must be able to pass through. */
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  await chmod(folder, 0o711);
  return folder;
};

const mintedKey = z.object({ key: z.string(), accountId: z.string() });

const tenantMaker = (admin: World['admin']) => {
  let lastPlatformId = 1000;
  return async (): Promise<Tenant> => {
    lastPlatformId += 1;
    const owner = ['--platform-id', String(lastPlatformId), '--plan', 'ENTERPRISE'];
    return mintedKey.parse(await admin('create-key', ...owner, '--scopes', '*', '--name', 'bench'));
  };
};

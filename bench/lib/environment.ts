import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { z } from 'zod';
import { findRunningEmbeddedPostgres } from '../../apps/server/src/db/embedded/embedded.ts';
import { type Load, startLoad } from './load.ts';
import { type Listener, runAdmin, startListener } from './processes.ts';
import { controlOf, type Simulator } from './simulator.ts';

/** What every bench uses: the running service, its database, and a client. */
export type Bench = {
  service: Listener;
  /** The simulator that the service uses, and its process. */
  simulator: Simulator;
  platform: Listener;
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
export const plans = { ENTERPRISE: { apiRatePerTenSeconds: 1_000_000_000 } };

/** Signs in the card provider's place. */
export const billingSecret = 'whsec_bench';

type Environment = Record<string, string>;

/** Stop functions of all that run or are starting. */
const stops = new Set<() => Promise<void>>();

/** For an interrupted run: a bench may have started others. */
export const stopAllBenches = async (): Promise<void> => {
  await Promise.allSettled([...stops].map((stop) => stop()));
};

/** `settings` are the service's, on top of what every part needs. */
export const startBench = async (settings: Environment = {}): Promise<Bench> => {
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
): Promise<Omit<Bench, 'stop'>> => {
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
  const started = { service, simulator, platform, databaseUrl, sql, load, env, admin };
  return { ...started, newTenant: tenantMaker(admin) };
};

/** When root starts it, PostgreSQL runs as another user, who must be able to pass through. */
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  await chmod(folder, 0o711);
  return folder;
};

const mintedKey = z
  .object({ key: z.string(), userId: z.string() })
  .transform(({ key, userId }) => ({ key, accountId: userId }));

const tenantMaker = (admin: Bench['admin']) => {
  let lastPlatformId = 1000;
  return async (): Promise<Tenant> => {
    lastPlatformId += 1;
    const owner = ['--platform-id', String(lastPlatformId), '--plan', 'ENTERPRISE'];
    return mintedKey.parse(await admin('create-key', ...owner, '--scopes', '*', '--name', 'bench'));
  };
};

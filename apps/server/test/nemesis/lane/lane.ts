import type { LogRow } from '@holdfast/simulator';
import { closeDatabase, connectDatabase, type Database } from '../../../src/db/connect.ts';
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import {
  connectSql,
  createKey,
  makeFolder,
  makePlansFile,
  startService,
  tenantAt,
} from '../../harness/running-service.ts';
import { randomPlatformId, type Tenant } from '../../harness/service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';
import { startTestSimulator, type TestSimulator } from '../../harness/simulator/start.ts';
import { type GuildState, growGuild } from '../guild/guild.ts';
import { type Watch, watchGuild } from '../guild/watch.ts';

/**
 * A whole installation: a platform, a PostgreSQL, an API process that stays and a worker that gets
 * killed. Lanes share nothing, so that several can run side by side.
 */
export type Lane = {
  simulator: TestSimulator;
  watch: Watch;
  db: Database;
  databaseUrl: string;
  dataDir: string;
  tenant: Tenant;
  guildId: string;
  serverId: string;
  /** The guild as it is when nothing has happened to it. */
  whole: GuildState;
  api: ServiceProcess;
  worker(): ServiceProcess;
  /** Under the name of the one that was killed. */
  startWorker(): Promise<void>;
  /** Beside it, under another name. */
  startOther(settings?: Settings): Promise<ServiceProcess>;
  readGuild(): Promise<GuildState>;
  putGuild(state: GuildState): Promise<void>;
  /** Of the lane's simulator, since the log was last cleared. */
  readLog(): Promise<LogRow[]>;
  close(): Promise<void>;
};

type Settings = Record<string, string>;
type OnClose = (step: () => Promise<unknown>) => void;

/** Maps the platform's address to the one the service uses: the same, or that of a proxy. */
type Detour = (platformUrl: string) => string;

export type LaneOptions = {
  detour?: Detour;
  /** Of the process that gets killed: with `all` it holds the bots' connections too. */
  role?: 'worker' | 'all';
  /** A database that is there already; by default the lane has a PostgreSQL of its own. */
  databaseUrl?: string;
};

const closers = new Set<() => Promise<void>>();

/** Closes what is still open when a sweep is interrupted. */
export const closeLanes = async (): Promise<void> => {
  await Promise.all([...closers].map((close) => close()));
};

export const openLane = async (
  settings: Settings = {},
  options: LaneOptions = {},
): Promise<Lane> => {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async () => {
    closers.delete(close);
    for (const step of undo.splice(0).reverse()) await step();
  };
  closers.add(close);
  const lane = await startLane(settings, options, (step) => undo.push(step));
  return { ...lane, close };
};

const startLane = async (
  settings: Settings,
  { detour = (platformUrl) => platformUrl, role = 'worker', ...given }: LaneOptions,
  onClose: OnClose,
): Promise<Omit<Lane, 'close'>> => {
  const watch = watchGuild();
  const simulator = await startTestSimulator({ onApplied: watch.onApplied });
  onClose(simulator.stop);
  const databaseUrl = given.databaseUrl ?? (await startPostgres(onClose));
  const dataDir = await makeFolder();
  const processes = await startProcesses(
    {
      ...{ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, PLANS_FILE: await makePlansFile() },
      ...{ PLATFORM_API_URL: `${detour(simulator.url)}/api`, ...settings },
    },
    role,
    onClose,
  );
  const tenant = tenantAt(processes.api.url, await createKey(databaseUrl));
  const guildId = randomPlatformId();
  const guildPath = `/guilds/${guildId}`;
  const readGuild = () => simulator.control('GET', guildPath);
  const putGuild = (state: GuildState) => simulator.control('PUT', guildPath, state);
  await putGuild(growGuild(await readGuild()));
  const serverId = await createServer(tenant, { platformGuildId: guildId });
  const db = connectDatabase(databaseUrl, { name: 'holdfast-nemesis', poolSize: 2 });
  onClose(() => closeDatabase(db));
  return {
    ...{ simulator, watch, db, databaseUrl, dataDir, tenant, guildId, serverId },
    // The bot has joined by now, with a role of its own.
    whole: await readGuild(),
    ...processes,
    ...{ readGuild, putGuild },
    readLog: () => simulator.control('GET', '/log'),
  };
};

const startPostgres = async (onClose: OnClose): Promise<string> => {
  const { url, stop } = await startEmbeddedPostgres(await makeFolder());
  onClose(stop);
  const sql = connectSql(url);
  // PostgreSQL is never killed here, so it may skip fsync.
  await sql`alter system set synchronous_commit to off`.simple();
  await sql`alter system set fsync to off`.simple();
  await sql`select pg_reload_conf()`.simple();
  await sql.close();
  return url;
};

const startProcesses = async (
  env: Settings,
  role: NonNullable<LaneOptions['role']>,
  onClose: OnClose,
) => {
  const start = async (settings: Settings) => {
    const started = await startService({ ...env, ...settings });
    onClose(() => {
      started.kill('SIGKILL');
      return started.exited;
    });
    return started;
  };
  const startWorker = (id: string, settings: Settings = {}) =>
    start({ ROLE: role, WORKER_ID: id, ...settings });
  const api = await start({ ROLE: 'api' });
  let worker = await startWorker('nemesis');
  return {
    api,
    worker: () => worker,
    async startWorker() {
      worker = await startWorker('nemesis');
    },
    startOther: (settings?: Settings) => startWorker('other', settings),
  };
};

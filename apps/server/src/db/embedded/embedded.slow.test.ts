// Runs alone: it is about time, memory or the machine.
import { afterAll, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import {
  type EmbeddedPostgres,
  findRunningEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded.ts';

const isRoot = process.getuid?.() === 0;
const TIMEOUT_MS = 20_000;
const madeDirs: string[] = [];
const started: EmbeddedPostgres[] = [];

// Making a cluster costs a second: tests that leave it as they found it share one.
const sharedDir = await makeDataDir();

afterAll(async () => {
  for (const postgres of started) await postgres.stop();
  await Promise.all(madeDirs.map((dir) => rm(dir, { recursive: true, force: true })));
}, TIMEOUT_MS);

test(
  'data written before a stop is there after the next start',
  async () => {
    const dataDir = await makeDataDir();
    expect(await findRunningEmbeddedPostgres(dataDir)).toBeUndefined();

    const first = await start(dataDir);
    expect(first.adopted).toBe(false);
    expect(first.url).toMatch(/^postgres:\/\/holdfast:[0-9a-f]{48}@127\.0\.0\.1:\d+\/holdfast$/);
    expect(await findRunningEmbeddedPostgres(dataDir)).toBe(first.url);
    await query(first.url, (sql) => sql`create table note (text text)`);
    await query(first.url, (sql) => sql`insert into note values ('kept')`);
    await Promise.all([first.stop(), first.stop()]);
    await first.stop();
    expect(await findRunningEmbeddedPostgres(dataDir)).toBeUndefined();

    const second = await start(dataDir);
    expect(second.adopted).toBe(false);
    expect(await query(second.url, (sql) => sql`select text from note`)).toEqual([
      { text: 'kept' },
    ]);
  },
  TIMEOUT_MS,
);

test(
  'a new cluster is durable, knows Unicode, keeps UTC and listens on loopback alone',
  async () => {
    const { url } = await start(sharedDir);
    const [settings] = await query(
      url,
      (sql) => sql`select upper('é') as upper, lower('Ж') as lower,
        current_setting('fsync') as fsync, current_setting('data_checksums') as checksums,
        current_setting('timezone') as timezone, current_setting('log_timezone') as log_timezone,
        current_setting('listen_addresses') as addresses,
        current_setting('unix_socket_directories') as sockets,
        current_setting('max_connections') as connections,
        (select count(*)::int from pg_hba_file_rules where auth_method <> 'scram-sha-256') as open`,
    );
    expect(settings).toEqual({
      upper: 'É',
      lower: 'ж',
      fsync: 'on',
      checksums: 'on',
      timezone: 'UTC',
      log_timezone: 'UTC',
      addresses: '127.0.0.1',
      sockets: '',
      connections: '100',
      open: 0,
    });
    const passwordFile = await stat(join(sharedDir, 'postgres.password'));
    expect(passwordFile.mode & 0o777).toBe(0o600);
  },
  TIMEOUT_MS,
);

test(
  'a service killed with SIGKILL leaves PostgreSQL running and the next start adopts it',
  async () => {
    const dataDir = await makeDataDir();
    const service = await spawnService(dataDir);
    service.kill('SIGKILL');
    await service.exited;

    const next = await start(dataDir);
    expect(next.adopted).toBe(true);
    expect(await query(next.url, (sql) => sql`select text from note`)).toEqual([
      { text: 'written by the service' },
    ]);
    await next.stop();
    expect(await findRunningEmbeddedPostgres(dataDir)).toBeUndefined();
  },
  TIMEOUT_MS,
);

test(
  'PostgreSQL killed with SIGKILL in the middle of a query starts again with its data',
  async () => {
    const dataDir = await makeDataDir();
    const first = await start(dataDir);
    await query(first.url, (sql) => sql`create table note as select 'kept' as text`);
    // Its process does not notice the death before it is through, and keeps the memory till then.
    const busy = query(first.url, (sql) => sql`select count(*) from generate_series(1, 8000000)`);
    const busyEnded = busy.catch(() => undefined);
    await Bun.sleep(200);
    process.kill(await readPostmasterPid(dataDir), 'SIGKILL');

    const second = await start(dataDir);
    await busyEnded;
    expect(second.adopted).toBe(false);
    expect(await query(second.url, (sql) => sql`select text from note`)).toEqual([
      { text: 'kept' },
    ]);
    // The first one's handle has nothing of its own left to stop, and must not mind.
    await second.stop();
    await first.stop();
  },
  TIMEOUT_MS,
);

test(
  'a pid file left by a crash whose number now belongs to another program is seen through',
  async () => {
    const first = await start(sharedDir);
    const pidFile = join(sharedDir, 'postgres', 'postmaster.pid');
    const lines = (await readFile(pidFile, 'utf8')).split('\n');
    await first.stop();
    const stranger = Bun.spawn(['sleep', '60']);
    await Bun.write(pidFile, [String(stranger.pid), ...lines.slice(1)].join('\n'));
    await chmod(pidFile, 0o644);

    expect(await findRunningEmbeddedPostgres(sharedDir)).toBeUndefined();
    const second = await start(sharedDir);
    expect(second.adopted).toBe(false);
    await second.stop();
    expect(stranger.exitCode).toBeNull();
    stranger.kill();
    await stranger.exited;
  },
  TIMEOUT_MS,
);

test(
  'a first start cut short is made good by the next one',
  async () => {
    await (await start(sharedDir)).stop();
    await mkdir(join(sharedDir, 'postgres.init-cut-short', 'base'), { recursive: true });
    const first = await start(sharedDir);
    expect(await readdir(sharedDir)).not.toContain('postgres.init-cut-short');
    const maintenanceUrl = first.url.replace(/holdfast$/, 'postgres');
    await query(maintenanceUrl, (sql) => sql`drop database holdfast`);
    await first.stop();

    const second = await start(sharedDir);
    expect(await query(second.url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
  },
  TIMEOUT_MS,
);

test(
  'a start that fails says why in the words of the log, and a foreign version in a sentence',
  async () => {
    await (await start(sharedDir)).stop();
    const clusterDir = join(sharedDir, 'postgres');
    const configFile = join(clusterDir, 'postgresql.conf');
    const config = await readFile(configFile, 'utf8');
    await Bun.write(configFile, `${config}\nno_such_setting = 1\n`);
    await expect(startEmbeddedPostgres(sharedDir)).rejects.toThrow(
      /did not start[\s\S]*unrecognized configuration parameter "no_such_setting"/,
    );
    await Bun.write(configFile, config);

    const versionFile = join(clusterDir, 'PG_VERSION');
    const version = await readFile(versionFile, 'utf8');
    await Bun.write(versionFile, '11\n');
    await expect(startEmbeddedPostgres(sharedDir)).rejects.toThrow(
      /was made by PostgreSQL 11 and this Holdfast brings PostgreSQL 18: /,
    );
    await Bun.write(versionFile, version);
  },
  TIMEOUT_MS,
);

test.skipIf(!isRoot)(
  'root is told what to set when the user postgres cannot enter the folder (root only)',
  async () => {
    const dataDir = await makeDataDir();
    await chmod(dataDir, 0o700);
    await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(
      `PostgreSQL does not run as root and its user "postgres" cannot enter ${dataDir}: set DATA_DIR to a folder that every user may enter (for example /var/lib/holdfast), or set DATABASE_URL.`,
    );
  },
);

async function makeDataDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-embedded-'));
  madeDirs.push(dir);
  await chmod(dir, 0o711);
  return dir;
}

async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres(dataDir);
  started.push(postgres);
  return postgres;
}

async function query<Row>(url: string, ask: (sql: SQL) => PromiseLike<Row[]>): Promise<Row[]> {
  const sql = new SQL(url, { max: 1 });
  try {
    return [...(await ask(sql))];
  } finally {
    await sql.close();
  }
}

async function readPostmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

/** Resolves when the service has written its row; it then runs until it is killed. */
async function spawnService(dataDir: string): Promise<Bun.Subprocess> {
  const script = `
    import { SQL } from 'bun';
    import { startEmbeddedPostgres } from ${JSON.stringify(join(import.meta.dir, 'embedded.ts'))};
    const { url } = await startEmbeddedPostgres(${JSON.stringify(dataDir)});
    const sql = new SQL(url);
    await sql\`create table note as select 'written by the service' as text\`;
    process.stdout.write('written');
    setInterval(() => undefined, 1000);
  `;
  const service = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  const { value } = await service.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('written');
  return service;
}

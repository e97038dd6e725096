import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { type RunAs, runProgram } from '../../../src/db/embedded/system.ts';
import { chooseRunAs } from '../../../src/db/embedded/user.ts';
import { makeTemplate } from '../database.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../service-process.ts';

export type Server = {
  /** Of a migrated database, which standbys have as well. */
  url: string;
  /** Runs a statement over a connection of its own. */
  run(statement: string): Promise<Record<string, unknown>[]>;
  start(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Suspends all its processes, or lets them go on. */
  suspend(): Promise<void>;
  resume(): Promise<void>;
};

export type ServerWithStandbys = Server & {
  /** Made by `pg_basebackup`; it streams from this server. */
  addStandby(name: string): Promise<Server>;
  /** Ends all of them, and deletes their data. */
  stop(): Promise<void>;
};

export const startPrimary = async (binaries: string): Promise<ServerWithStandbys> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-standby-'));
  const runAs = await chooseRunAs(folder);
  if (runAs) await chown(folder, runAs.uid, runAs.gid);
  const run = runner(binaries, runAs);
  const started: { dir: string; resume(): Promise<void> }[] = [];
  let database = 'postgres';
  const startIn = async (name: string): Promise<Server & { port: number }> => {
    const [dir, port] = [join(folder, name), freePort()];
    const how = ['-w', '-s', '-o', options(port, folder), '-l', `${dir}.log`];
    const start = () => run('pg_ctl', 'start', '-D', dir, ...how);
    await start();
    const control = controlOf(dir, start);
    started.push({ dir, resume: control.resume });
    return { port, ...control, ...accessTo(port, database) };
  };

  await run('initdb', '-D', join(folder, 'primary'), ...initdbArguments);
  const primary = await startIn('primary');
  database = await makeTemplate(primary.url);
  return {
    ...primary,
    ...accessTo(primary.port, database),
    async addStandby(name) {
      const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'holdfast'];
      const how = ['-D', join(folder, name), '-R', '-X', 'stream', '-c', 'fast', '-N'];
      await run('pg_basebackup', ...source, ...how);
      return startIn(name);
    },
    async stop() {
      for (const { dir, resume } of started.toReversed()) {
        // A test that failed may have left it suspended.
        await resume().catch(() => undefined);
        await run('pg_ctl', 'stop', '-D', dir, '-m', 'immediate', '-s').catch(() => undefined);
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const initdbArguments = ['-U', 'holdfast', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];

const accessTo = (port: number, database: string) => {
  const url = `postgres://holdfast@127.0.0.1:${port}/${database}`;
  return { url, run: (statement: string) => once(url, statement) };
};

const controlOf = (dir: string, start: () => Promise<void>) => {
  const signal = async (name: NodeJS.Signals) => {
    const postmaster = await postmasterOf(dir);
    for (const pid of [postmaster, ...childrenOf(postmaster)]) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
    }
  };
  return {
    // The shared memory of a killed one is given back after a moment.
    start: () => eventually(10_000, start),
    kill: () => signal('SIGKILL'),
    suspend: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
  };
};

const runner =
  (binaries: string, runAs: RunAs | undefined) =>
  async (program: string, ...args: string[]): Promise<void> => {
    const path = join(binaries, program);
    const isServer = program === 'pg_ctl';
    // A server that is left running keeps a pipe open.
    const command = isServer ? ['-c', '"$0" "$@" >/dev/null 2>&1', path, ...args] : args;
    const { code, output } = await runProgram(isServer ? '/bin/sh' : path, command, { runAs });
    if (code !== 0) throw new Error(`${program} failed: ${output}`);
  };

/** What it loses by a crash nobody needs; the standby's own limits are the defaults. */
const options = (port: number, folder: string): string =>
  [
    ...[`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`],
    ...[
      'fsync=off',
      'shared_buffers=32MB',
      'wal_keep_size=64MB',
      'wal_retrieve_retry_interval=200ms',
    ],
    // A conflict with replaying ends a read soon.
    'max_standby_streaming_delay=100ms',
  ]
    .map((setting) => `-c ${setting}`)
    .join(' ');

const postmasterOf = async (dir: string): Promise<number> =>
  Number((await readFile(join(dir, 'postmaster.pid'), 'utf8')).split('\n')[0]);

const childrenOf = (pid: number): number[] =>
  Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(pid)])
    .stdout.toString()
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map(Number);

const once = async (url: string, statement: string): Promise<Record<string, unknown>[]> => {
  const sql = new SQL(url, { max: 1 });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.close();
  }
};

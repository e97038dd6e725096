import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../apps/server/test/harness/service-process.ts';

const root = join(import.meta.dir, '../..');
const files = {
  service: join(root, 'apps/server/src/main/start.ts'),
  admin: join(root, 'apps/server/src/main/admin.ts'),
  reference: join(root, 'bench/http/reference.ts'),
  twin: join(root, 'bench/http/twin/twin.ts'),
  simulator: join(root, 'packages/simulator/src/main.ts'),
};
const startDeadlineMs = 60_000;

type Environment = Record<string, string>;

export type Listener = { url: string; pid: number; stop(): Promise<void> };

const spawn = (file: keyof typeof files, args: string[], env: Environment, on: string[] = []) =>
  Bun.spawn([...on, process.execPath, '--no-env-file', files[file], ...args], {
    // Nothing of the caller's own settings may leak into what is measured.
    // Any free port for what else it may start: the usual one may be somebody's own.
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME },
      ...{ PORT: '0', SIMULATOR_PORT: '0', ...env },
    },
    stdout: 'pipe',
    stderr: 'pipe',
  });

/** Runs until stopped, on the first `cores` only where that is said; it tells on standard output where it listens. */
export const startListener = async (
  file: 'service' | 'reference' | 'twin' | 'simulator',
  env: Environment,
  { cores }: { cores?: number } = {},
): Promise<Listener> => {
  const on = cores ? ['taskset', '--cpu-list', `0-${cores - 1}`] : [];
  const child = spawn(file, [], file === 'service' ? { ...ownAddress(), ...env } : env, on);
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
  };
  let written = '';
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) written += new TextDecoder().decode(chunk);
  };
  collect(child.stdout);
  collect(child.stderr);

  const deadline = Date.now() + startDeadlineMs;
  while (child.exitCode === null && Date.now() < deadline) {
    const url = addressIn(written);
    if (url) return { url, pid: child.pid, stop };
    await Bun.sleep(20);
  }
  await stop();
  throw new Error(`The ${file} did not start:\n${written}`);
};

/** The service accepts forms only from pages at its own address, so it has to know its port beforehand. */
const ownAddress = (): Environment => {
  const port = String(freePort());
  return { PORT: port, BASE_URL: `http://127.0.0.1:${port}` };
};

/** The service and the reference tell it in JSON, the simulator in words. */
const addressIn = (written: string): string | undefined => {
  const told = written.match(/"url":"([^"]+)"/) ?? written.match(/simulator: (\S+)\/api\/v10\n/);
  return told?.[1]?.replace('localhost', '127.0.0.1');
};

/** One of the operator's commands; its answer is one line of JSON. */
export const runAdmin = async (env: Environment, ...args: string[]): Promise<unknown> => {
  const child = spawn('admin', args, env);
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`admin ${args[0]}: ${stderr}`);
  return JSON.parse(stdout);
};

/** Memory that a process holds, in MiB. */
export const residentMiB = async (pid: number): Promise<number> => {
  const text = await new Response(Bun.spawn(['ps', '-o', 'rss=', '-p', String(pid)]).stdout).text();
  return Number(text) / 1024;
};

const tickMs = 10;

/** The fields of a process after its name, which may hold spaces; empty for one that is gone. */
const fieldsOf = async (pid: number): Promise<string[]> => {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return line === '' ? [] : line.slice(line.lastIndexOf(')') + 2).split(' ');
};

/** Processor time that a process has used so far; only Linux tells, elsewhere NaN. */
export const processorMs = async (pid: number): Promise<number> => {
  const fields = await fieldsOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
};

/** The same of a service and of the processes that it started. */
export const serviceProcessorMs = async (pid: number): Promise<number> => {
  const used = await Promise.all([pid, ...(await childrenOf(pid))].map(processorMs));
  return used.reduce((sum, one) => sum + one, 0);
};

/**
 * What a whole PostgreSQL has used so far: its first process, those that this one started, and those of
 * them that have ended. Only Linux tells, elsewhere NaN.
 */
export const clusterProcessorMs = async (postmaster: number): Promise<number> => {
  const fields = await fieldsOf(postmaster);
  const ofEnded = (Number(fields[13]) + Number(fields[14])) * tickMs;
  const pids = await childrenOf(postmaster);
  const used = await Promise.all([postmaster, ...pids].map(singleThreadMs));
  return used.reduce((sum, one) => sum + one, ofEnded);
};

const childrenOf = async (parent: number): Promise<number[]> => {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter(Number.isInteger);
  const parents = await Promise.all(pids.map(async (pid) => Number((await fieldsOf(pid))[1])));
  return pids.filter((_, at) => parents[at] === parent);
};

/** To the nanosecond instead of the tick, but of its first thread only; PostgreSQL's have no other. */
const singleThreadMs = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '0');
  return Number(text.split(' ')[0]) / 1_000_000;
};

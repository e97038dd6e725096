import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../apps/server/test/harness/service-process.ts';

const root = join(import.meta.dir, '../..');
const files = {
  service: join(root, 'apps/server/src/main/start.ts'),
  admin: join(root, 'apps/server/src/main/admin.ts'),
  reference: join(root, 'bench/http/reference.ts'),
  simulator: join(root, 'packages/simulator/src/main.ts'),
};
const startDeadlineMs = 60_000;

type Environment = Record<string, string>;

export type Listener = { url: string; pid: number; stop(): Promise<void> };

const spawn = (file: keyof typeof files, args: string[], env: Environment) =>
  Bun.spawn([process.execPath, '--no-env-file', files[file], ...args], {
    // Nothing of the caller's own settings may leak into what is measured.
    // Any free port for what else it may start: the usual one may be somebody's own.
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME },
      ...{ PORT: '0', SIMULATOR_PORT: '0', ...env },
    },
    stdout: 'pipe',
    stderr: 'pipe',
  });

/** Runs until stopped; it says on standard output where it listens. */
export const startListener = async (
  file: 'service' | 'reference' | 'simulator',
  env: Environment,
): Promise<Listener> => {
  const child = spawn(file, [], file === 'service' ? { ...ownAddress(), ...env } : env);
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

/** Processor time that a process has used so far; only Linux tells, elsewhere NaN. */
export const processorMs = async (pid: number): Promise<number> => {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name and may hold spaces: count from its closing bracket.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
};

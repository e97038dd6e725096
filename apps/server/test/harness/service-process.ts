import { join } from 'node:path';
import { sharedDataDir } from './data-dir.ts';
import { processEnvironment } from './pooled-url.ts';
import { sharedSimulator } from './simulator/start.ts';

const root = join(import.meta.dir, '../../../..');
const startFile = 'apps/server/src/main/start.ts';
const adminFile = 'apps/server/src/main/admin.ts';

/** Started without the developer's .env, which would fill in missing settings. */
const commandOf = (file: string, folder = root): string[] => [
  ...[process.execPath, '--no-env-file', join(folder, file)],
];

export type ServiceProcess = {
  url: string;
  pid: number;
  /** All that it wrote to standard output and standard error. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<number>;
};

/** Far more than a start takes, even where every core is busy with something else. */
const startWithinMs = 120_000;

/** The discard port: nothing listens there, and no simulator is started instead. */
const nowhere = 'http://127.0.0.1:9/api';

const bareEnvironment = () => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  PORT: '0',
  SIMULATOR_PORT: '0',
  DATA_DIR: sharedDataDir(),
  PLATFORM_API_URL: nowhere,
});

/** Not in local mode, whose demo account no test but its own wants to find in the database. */
const platformSettings = async () => ({
  PLATFORM_API_URL: (await sharedSimulator()).apiUrl,
  PLATFORM_CLIENT_ID: '498605767562051586',
  PLATFORM_CLIENT_SECRET: 'a client secret',
});

/**
 * The real service as a process of its own, on a free port. Rejects when it ends before listening. `folder`
 * is that of another version's sources.
 */
export const startProcess = async (
  env: Record<string, string>,
  folder?: string,
): Promise<ServiceProcess> => {
  const child = Bun.spawn(commandOf(startFile, folder), {
    env: { ...bareEnvironment(), ...(await platformSettings()), ...processEnvironment(env) },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let written = '';
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) written += new TextDecoder().decode(chunk);
  };
  const collecting = Promise.all([collect(child.stdout), collect(child.stderr)]);

  const deadline = Date.now() + startWithinMs;
  for (;;) {
    const url = written.match(/"url":"([^"]+)"/)?.[1];
    if (url) {
      const kill = (signal: NodeJS.Signals) => child.kill(signal);
      return { url, pid: child.pid, output: () => written, kill, exited: child.exited };
    }
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      await collecting;
      throw new Error(`The service did not start (exit ${child.exitCode}):\n${written}`);
    }
    await Bun.sleep(20);
  }
};

/** A port that is free now, for a program that must know it before it starts. */
export const freePort = (): number => {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } });
  const { port } = probe;
  probe.stop(true);
  return port;
};

export type CommandResult = { exitCode: number; stdout: string; stderr: string };

/** One of the operator's commands. */
export const runAdmin = (env: Record<string, string>, ...args: string[]): Promise<CommandResult> =>
  runAdminOf(root, env, ...args);

/** One of the operator's commands of the version whose sources are in that folder. */
export const runAdminOf = async (
  folder: string,
  env: Record<string, string>,
  ...args: string[]
): Promise<CommandResult> => {
  const child = Bun.spawn([...commandOf(adminFile, folder), ...args], {
    env: { ...bareEnvironment(), ...processEnvironment(env) },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  return readResult(child);
};

/** A start that is expected to fail: its exit code and output. */
export const runStart = async (
  env: Record<string, string>,
  { cwd = root }: { cwd?: string } = {},
): Promise<CommandResult> => {
  const child = Bun.spawn(commandOf(startFile), {
    cwd,
    env: { ...bareEnvironment(), ...processEnvironment(env) },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: startWithinMs,
    killSignal: 'SIGKILL',
  });
  return readResult(child);
};

type Child = Bun.Subprocess<'ignore', 'pipe', 'pipe'>;

const readResult = async (child: Child): Promise<CommandResult> => {
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
};

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildFile } from '../build.ts';

export type CliResult = { exitCode: number; stdout: string; stderr: string };

type CliOptions = {
  env?: Record<string, string>;
  stdin?: string;
  /** What runs the built file; Bun, unless given. */
  runtime?: string;
};

const folders: string[] = [];

/** A new folder; `removeHomes` deletes them. */
export const makeHome = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
  folders.push(folder);
  return folder;
};

export const removeHomes = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
};

/** Nothing of the developer's own settings reaches it. */
export const cliEnvironment = (env: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  ...env,
});

let built: Promise<string> | undefined;

/** The file that is published, built once for all tests of a process. */
export const builtCli = (): Promise<string> => {
  built ??= (async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'holdfast-cli-')), 'holdfast.mjs');
    await buildFile(file);
    process.once('exit', () => rmSync(dirname(file), { recursive: true, force: true }));
    return file;
  })();
  return built;
};

export const spawnCli = async (args: string[], { env, stdin, runtime }: CliOptions = {}) =>
  Bun.spawn([runtime ?? process.execPath, await builtCli(), ...args], {
    env: cliEnvironment(env),
    stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  });

/** The command line as a process of its own, into pipes. */
export const runCli = async (args: string[], options: CliOptions = {}): Promise<CliResult> => {
  const child = await spawnCli(args, options);
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
};

type TerminalOptions = { env?: Record<string, string>; columns?: number; typed?: string };

/** Whether this machine can give a program a terminal. */
export const hasTerminal = process.platform === 'linux' && Bun.which('script') !== null;

/** The program in a terminal of that width, whose keyboard is a pipe. */
export const spawnInTerminal = async (
  args: string[],
  { env, columns = 100 }: TerminalOptions = {},
) => {
  const words = [process.execPath, await builtCli(), ...args];
  const line = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const command = `stty -echo cols ${columns} rows 40; exec ${line}`;
  return Bun.spawn(['script', '-qec', command, '/dev/null'], {
    env: cliEnvironment({ TERM: 'xterm', LC_ALL: 'C.UTF-8', SHELL: '/bin/sh', ...env }),
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
};

/** All that the program wrote to a terminal of that width; `typed` is what a person types. */
export const runInTerminal = async (
  args: string[],
  { typed = '', ...options }: TerminalOptions = {},
): Promise<{ exitCode: number; screen: string }> => {
  const child = await spawnInTerminal(args, options);
  child.stdin.write(typed);
  await child.stdin.end();
  const screen = (await new Response(child.stdout).text()).replaceAll('\r\n', '\n');
  return { exitCode: await child.exited, screen };
};

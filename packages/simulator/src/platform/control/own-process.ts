import { readFileSync, readlinkSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';

/** The root of this repository. */
const root = resolve(import.meta.dir, '../../../../..');

/**
 * Whether a process runs a program of this repository. A fault may kill nothing else: the control API
 * must not be able to end other programs of this machine.
 */
export const isOwnProcess = (pid: number): boolean => {
  const running = process.platform === 'linux' ? readFromProc(pid) : readFromPs(pid);
  if (!running) return false;
  const [program = '', ...args] = running.command;
  if (!/^(bun|node)/.test(basename(program))) return false;
  const script = args.find((arg) => !arg.startsWith('-') && arg !== 'run');
  return script !== undefined && isOwnScript(resolve(running.folder, script));
};

type RunningProcess = { command: string[]; folder: string };

const isOwnScript = (path: string): boolean =>
  /^(apps|packages)\/.+\.tsx?$/.test(relative(root, path)) && !path.includes('node_modules');

/** A process that was just started has no command line for a few milliseconds. */
const maxStartMs = 500;
const pollEveryMs = 5;

/** Undefined if it is gone or belongs to another user. */
const readFromProc = (pid: number): RunningProcess | undefined => {
  try {
    const command = readCommand(pid).split('\0');
    return { command, folder: readlinkSync(join('/proc', String(pid), 'cwd')) };
  } catch {
    return undefined;
  }
};

const readCommand = (pid: number): string => {
  const file = join('/proc', String(pid), 'cmdline');
  let command = readFileSync(file, 'utf8');
  for (let waitedMs = 0; command === '' && waitedMs < maxStartMs; waitedMs += pollEveryMs) {
    Bun.sleepSync(pollEveryMs);
    command = readFileSync(file, 'utf8');
  }
  return command;
};

const readFromPs = (pid: number): RunningProcess | undefined => {
  const command = runCommand('ps', '-o', 'command=', '-p', String(pid)).trim().split(/\s+/);
  const folder = /^n(.+)$/m.exec(
    runCommand('lsof', '-a', '-d', 'cwd', '-p', String(pid), '-Fn'),
  )?.[1];
  return folder === undefined ? undefined : { command, folder };
};

const runCommand = (...command: string[]): string => {
  try {
    return Bun.spawnSync(command, { stderr: 'ignore' }).stdout.toString();
  } catch {
    return '';
  }
};

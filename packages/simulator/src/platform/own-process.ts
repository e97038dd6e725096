import { readFileSync, readlinkSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';

/** This copy of Holdfast: where `apps` and `packages` are. */
const root = resolve(import.meta.dir, '../../../..');

/**
 * Whether a process runs a program of this copy of Holdfast. A fault may kill nothing else: whoever can
 * speak to the control API must not be able to end other programs of this machine.
 */
export const isOwnProcess = (pid: number): boolean => {
  const found = process.platform === 'linux' ? lookInProc(pid) : askPs(pid);
  if (!found) return false;
  const [program = '', ...args] = found.command;
  if (!/^(bun|node)/.test(basename(program))) return false;
  const script = args.find((arg) => !arg.startsWith('-') && arg !== 'run');
  return script !== undefined && isOwnScript(resolve(found.folder, script));
};

type Running = { command: string[]; folder: string };

const isOwnScript = (path: string): boolean =>
  /^(apps|packages)\/.+\.tsx?$/.test(relative(root, path)) && !path.includes('node_modules');

/** A process that was just started has no command line yet, for a few milliseconds. */
const startMs = 500;
const lookEveryMs = 5;

/** Undefined where it is gone, or somebody else's. */
const lookInProc = (pid: number): Running | undefined => {
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
  for (let waitedMs = 0; command === '' && waitedMs < startMs; waitedMs += lookEveryMs) {
    Bun.sleepSync(lookEveryMs);
    command = readFileSync(file, 'utf8');
  }
  return command;
};

const askPs = (pid: number): Running | undefined => {
  const command = outputOf('ps', '-o', 'command=', '-p', String(pid)).trim().split(/\s+/);
  const folder = /^n(.+)$/m.exec(
    outputOf('lsof', '-a', '-d', 'cwd', '-p', String(pid), '-Fn'),
  )?.[1];
  return folder === undefined ? undefined : { command, folder };
};

const outputOf = (...command: string[]): string => {
  try {
    return Bun.spawnSync(command, { stderr: 'ignore' }).stdout.toString();
  } catch {
    return '';
  }
};

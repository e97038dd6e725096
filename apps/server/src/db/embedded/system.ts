import { spawn } from 'node:child_process';
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

export type RunAs = { uid: number; gid: number; name: string };

export type Outcome = { code: number; output: string };

/** A shell's exit code for a program that it cannot start; `runProgram` uses it for the same. */
export const COULD_NOT_START = 127;

/**
 * Runs a program to its end. With `logDescriptor` its output goes to that open file instead of the
 * result: a server left running would keep a pipe open, and this would wait for ever.
 */
export function runProgram(
  file: string,
  args: string[],
  options: { runAs?: RunAs | undefined; logDescriptor?: number } = {},
): Promise<Outcome> {
  const { runAs, logDescriptor = 'pipe' } = options;
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env: bareEnvironment(),
      // Ctrl-C in the terminal must not interrupt a start or stop of PostgreSQL.
      detached: process.platform !== 'win32',
      stdio: ['ignore', logDescriptor, logDescriptor],
      // The other user may have no access to the current folder.
      ...(runAs && { uid: runAs.uid, gid: runAs.gid, cwd: '/' }),
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', (error) => resolve({ code: COULD_NOT_START, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? COULD_NOT_START, output }));
  });
}

/**
 * PostgreSQL outlives this process, so it does not get our secrets; PG* variables of the operator's
 * shell would change its behaviour; and its messages are parsed, so they must be English.
 */
function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMPDIR } = process.env;
  return { PATH, SystemRoot, TEMP, TMPDIR, LC_ALL: 'C', TZ: 'UTC' };
}

/** Undefined where the file is missing; other errors are thrown. */
export const readIfPresent = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(absentAsUndefined);

export const statIfPresent = (path: string): Promise<Stats | undefined> =>
  stat(path).catch(absentAsUndefined);

const absentAsUndefined = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

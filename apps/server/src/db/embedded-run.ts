import { spawn } from 'node:child_process';

export type RunAs = { uid: number; gid: number; name: string };

export type Outcome = { code: number; output: string };

/** What a shell answers for a program it cannot start; ours for the same case. */
export const COULD_NOT_START = 127;

/**
 * Runs a program to its end. With `logDescriptor` its words go to that open file instead of the
 * outcome: a server left running would keep a pipe open and we would wait for its end for ever.
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
      // Ctrl-C in our terminal is for us: a start or stop under way must come to its end.
      detached: process.platform !== 'win32',
      stdio: ['ignore', logDescriptor, logDescriptor],
      // The folder we stand in may be one that the other user cannot enter.
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
 * PostgreSQL outlives us, so it is not given our secrets; PG* variables of the operator's shell
 * would change what it does; and we read its messages, so they must be English.
 */
function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMPDIR } = process.env;
  return { PATH, SystemRoot, TEMP, TMPDIR, LC_ALL: 'C', TZ: 'UTC' };
}

import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** A program of its own, reached by HTTP: nothing of it is imported. */
export const simulatorProgram = join(
  import.meta.dir,
  '../../../../../packages/simulator/src/main.ts',
);

const startMs = 20_000;

/** The address that it prints once it listens; undefined if it exited or timed out. */
export const readSimulatorAddress = (child: ChildProcess): Promise<string | undefined> =>
  new Promise((settle) => {
    const late = setTimeout(settle, startMs, undefined);
    const end = (url: string | undefined) => {
      clearTimeout(late);
      settle(url);
    };
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const url = /(http:\/\/\S+)\/api\/v10\n/.exec(output)?.[1];
      if (url) end(url);
    });
    child.once('exit', () => end(undefined));
    child.once('error', () => end(undefined));
  });

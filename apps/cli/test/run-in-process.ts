import type { Io } from '../src/io.ts';
import { run } from '../src/run.ts';

/** The command line within this process; `written` is what it wrote, wherever to. */
export const runInProcess = async (
  argv: string[],
  env: Io['env'],
): Promise<{ exitCode: number; written: string }> => {
  let written = '';
  const stream = {
    write(text: string, done?: () => void) {
      written += text;
      done?.();
    },
  };
  const exitCode = await run(argv, { env, stdin: process.stdin, stdout: stream, stderr: stream });
  return { exitCode, written };
};

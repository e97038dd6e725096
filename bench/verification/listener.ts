import { join } from 'node:path';
import type { Listener } from '../lib/processes.ts';

const file = join(import.meta.dir, 'reference.ts');

/** The reference as a process of its own; its first words say where it listens. */
export const startReference = async (env: Record<string, string>): Promise<Listener> => {
  const child = Bun.spawn([process.execPath, '--no-env-file', file], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
  };
  for await (const chunk of child.stdout) {
    const url = new TextDecoder().decode(chunk).match(/"url":"([^"]+)"/)?.[1];
    if (url) return { url, pid: child.pid, stop };
  }
  throw new Error('The reference did not start');
};

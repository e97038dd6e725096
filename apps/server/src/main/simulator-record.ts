import { readFileSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readIfPresent } from '../db/if-present.ts';

const recordShape = z.object({ url: z.url({ protocol: /^http$/ }), pid: z.int().positive() });
export type Running = z.infer<typeof recordShape>;

const recordFile = (folder: string) => join(folder, 'simulator.pid');

/** Which simulator a data folder's service started last. A file that is no record says nothing. */
export const readRecord = async (folder: string): Promise<Running | undefined> => {
  const text = await readIfPresent(recordFile(folder));
  try {
    return text === undefined ? undefined : recordShape.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

export const writeRecord = async (folder: string, running: Running): Promise<void> => {
  await writeFile(recordFile(folder), JSON.stringify(running), { mode: 0o600 });
  // The mode counts only for a file that was not there.
  await chmod(recordFile(folder), 0o600);
};

export const dropRecord = async (folder: string, pid: number): Promise<void> => {
  if ((await readRecord(folder))?.pid === pid) await rm(recordFile(folder), { force: true });
};

/** One that is dead and only waits to be buried does not run, though it can be signalled. */
export const isRunning = (pid: number): boolean =>
  signalProcess(pid, 0) && !/^\d+ \(.*\) [ZX]/s.test(readLinuxStat(pid));

/** False where there is no such process any more. */
export const signalProcess = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // Somebody else's process cannot be signalled, and is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

const readLinuxStat = (pid: number): string => {
  if (process.platform !== 'linux') return '';
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
};

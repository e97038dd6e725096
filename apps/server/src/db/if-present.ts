import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

/** Undefined for what is not there; every other failure is one. */
export const readIfPresent = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(absentAsUndefined);

export const statIfPresent = (path: string): Promise<Stats | undefined> =>
  stat(path).catch(absentAsUndefined);

const absentAsUndefined = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

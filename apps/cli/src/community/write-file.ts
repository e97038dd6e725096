import { randomUUID } from 'node:crypto';
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CommandError } from '../exit-codes.ts';
import { unlessMissing } from '../missing-file.ts';

/** Every export begins with it. */
export const firstWords = 'The structure of';

/** Whatever else is in the file would be lost. */
export const requireReplaceable = async (file: string): Promise<void> => {
  const text = await unlessMissing(readFile(file, 'utf8')).catch((error: Error) => {
    throw new CommandError('usage', `${file} cannot be written: ${error.message}`);
  });
  if (text === undefined || text.trim() === '' || text.startsWith(`# ${firstWords} `)) return;
  throw new CommandError('usage', `${file} exists, and is no export`, [
    'Add --force to overwrite it.',
  ]);
};

/** Whole or not at all, also where the disk is full or the process is ended. */
export const replaceFile = async (file: string, text: string): Promise<void> => {
  let draft: string | undefined;
  try {
    const path = (await unlessMissing(realpath(file))) ?? file;
    const mode = (await unlessMissing(stat(path)))?.mode;
    draft = `${path}.${randomUUID().slice(0, 8)}.tmp`;
    await writeFile(draft, text, mode === undefined ? {} : { mode });
    await rename(draft, path);
  } catch (cause) {
    if (draft !== undefined) await rm(draft, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError('failure', `${file} cannot be written: ${reason}`);
  }
};

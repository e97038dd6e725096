import { randomBytes } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError } from '../exit-codes.ts';
import { unlessMissing } from '../missing-file.ts';
import { isRecord } from '../output/record.ts';

export type Environment = Record<string, string | undefined>;

/** Where profiles are kept. A relative XDG_CONFIG_HOME is ignored, as its specification demands. */
export const configFolder = ({ XDG_CONFIG_HOME: given = '', HOME: home = '' }: Environment) => {
  const base = isAbsolute(given) ? given : join(isAbsolute(home) ? home : ownHome(), '.config');
  return join(base, 'holdfast');
};

const ownHome = (): string => {
  try {
    return homedir();
  } catch {
    throw new CommandError('failure', 'Nobody knows where your home is', [
      'Set HOME or XDG_CONFIG_HOME to an absolute path, or HOLDFAST_API_KEY and HOLDFAST_URL.',
    ]);
  }
};

/** The form of the files; a later one may say things that this program does not know. */
const formVersion = 1;

/** A file that only the user may read, as an object; undefined if there is none. */
export const readPrivate = async (
  path: string,
  warn: (text: string) => void,
): Promise<Record<string, unknown> | undefined> => {
  const text = await unlessMissing(readFile(path, 'utf8')).catch((error) => {
    throw fileError(path, 'cannot be read', error);
  });
  if (text === undefined) return undefined;
  await closeToOthers(path, warn);
  const value = parsed(path, text);
  if (typeof value.version === 'number' && value.version > formVersion) {
    throw new CommandError('failure', `${path} is of a newer version of holdfast`, [
      'Update this program, or set XDG_CONFIG_HOME to another folder.',
    ]);
  }
  return value;
};

const parsed = (path: string, text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Not JSON is as bad as JSON of another form.
  }
  throw damaged(path);
};

export const damaged = (path: string): CommandError =>
  new CommandError('failure', `${path} is damaged`, [
    'Correct it, or delete it and sign in again.',
  ]);

export const isOpenToOthers = async (path: string): Promise<boolean> =>
  process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0;

const closeToOthers = async (path: string, warn: (text: string) => void): Promise<void> => {
  if (!(await isOpenToOthers(path))) return;
  const isClosed = await chmod(path, 0o600).then(
    () => true,
    () => false,
  );
  const outcome = isClosed ? 'now only you can' : `make it yours alone: chmod 600 ${path}`;
  warn(`Others could read ${path}; ${outcome}. If somebody did, revoke its key.`);
};

/** Only the user can read it, and it is never half written. A link stays: its target is replaced. */
export const writePrivate = async (path: string, value: object): Promise<void> => {
  const text = `${JSON.stringify({ version: formVersion, ...value }, undefined, 2)}\n`;
  try {
    await makeFolder(dirname(path));
    const target = (await unlessMissing(realpath(path))) ?? path;
    // Not guessable, and never one that is there: it may be somebody else's link.
    const scratch = `${target}.${randomBytes(8).toString('hex')}`;
    const file = await open(scratch, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
      await file.close();
      await rename(scratch, target);
    } catch (error) {
      // It may be closed already; what failed before is what counts.
      await file.close().catch(() => undefined);
      await rm(scratch, { force: true });
      throw error;
    }
  } catch (error) {
    throw fileError(path, 'cannot be written', error);
  }
};

/** Throws if nothing can be written there, before there is anything to write. */
export const makeFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    if (await isOpenToOthers(folder)) await chmod(folder, 0o700);
  } catch (error) {
    throw fileError(folder, 'cannot be written', error);
  }
};

export const removePrivate = async (path: string): Promise<void> => {
  await rm(path, { force: true }).catch((error) => {
    throw fileError(path, 'cannot be removed', error);
  });
};

const fileError = (path: string, what: string, error: unknown): Error => {
  if (error instanceof CommandError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError('failure', `${path} ${what}: ${reason}`);
};

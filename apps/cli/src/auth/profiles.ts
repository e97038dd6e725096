import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../exit-codes.ts';

export type Environment = Record<string, string | undefined>;

/** A service and an account there. Its key is kept apart, see `key-store.ts`. */
export type Profile = {
  url: string;
  /** The name of the account, to be shown. */
  account?: string;
  keyIn: 'keychain' | 'file';
  /** When the key ends, if it does. */
  expiresAt?: string;
};

type Profiles = { current: string; profiles: Record<string, Profile> };

export const configFolder = (env: Environment): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'holdfast');

const profilesFile = (env: Environment): string => join(configFolder(env), 'profiles.json');

export const readProfiles = async (env: Environment): Promise<Profiles> => {
  const stored = await readJson<Partial<Profiles>>(profilesFile(env));
  return { current: stored?.current ?? 'default', profiles: stored?.profiles ?? {} };
};

export const writeProfiles = (env: Environment, profiles: Profiles): Promise<void> =>
  writePrivately(env, profilesFile(env), profiles);

/** Undefined if there is no such file. */
export const readJson = async <Value>(path: string): Promise<Value | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError('failure', `${path} is damaged: it is not JSON`, [
      'Correct it, or delete it and sign in again.',
    ]);
  }
};

/** Only the user can read it, and it is never half written. */
export const writePrivately = async (
  env: Environment,
  path: string,
  value: unknown,
): Promise<void> => {
  const folder = configFolder(env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const scratch = `${path}.${process.pid}`;
  await writeFile(scratch, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  await rename(scratch, path);
};

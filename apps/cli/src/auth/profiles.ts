import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../exit-codes.ts';
import { unlessMissing } from '../missing-file.ts';
import {
  configFolder,
  damaged,
  type Environment,
  readPrivate,
  removePrivate,
  writePrivate,
} from './private-files.ts';

/** A service and an account there. */
export type Profile = {
  url: string;
  /** The name of the account, to be shown. */
  account?: string;
  /** When the key ends, if it does. */
  expiresAt?: string;
  keyIn: 'keychain' | 'file';
  /** With the service that it was made for; only if it is in no keychain. */
  key?: { url: string; secret: string };
};

/**
 * Each profile is a file of its own, so that programs that sign in at the same time do not lose each other's.
 * The files are read each time: other programs change them.
 */
export const openProfiles = (env: Environment, warn: (text: string) => void) => {
  const folder = () => join(configFolder(env), 'profiles');
  const fileOf = (name: string) => join(folder(), `${checkedName(name)}.json`);
  const currentFile = () => join(configFolder(env), 'config.json');
  return {
    folder,
    async read(name: string): Promise<Profile | undefined> {
      const stored = await readPrivate(fileOf(name), warn);
      if (stored !== undefined && !isProfile(stored)) throw damaged(fileOf(name));
      return stored;
    },
    write: (name: string, profile: Profile) => writePrivate(fileOf(name), profile),
    remove: (name: string) => removePrivate(fileOf(name)),
    async names(): Promise<string[]> {
      const files = (await unlessMissing(readdir(folder()))) ?? [];
      return files.flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []).toSorted();
    },
    /** The one that is used where none is named. */
    async current(): Promise<string> {
      const { current = 'default' } = (await readPrivate(currentFile(), warn)) ?? {};
      if (typeof current !== 'string') throw damaged(currentFile());
      return current;
    },
    use: (name: string) => writePrivate(currentFile(), { current: name }),
  };
};

export type Profiles = ReturnType<typeof openProfiles>;

/** Which profile is meant. */
export const chosenProfile = async (
  profiles: Profiles,
  env: Environment,
  given: string | undefined,
): Promise<string> => checkedName(given ?? (env.HOLDFAST_PROFILE || (await profiles.current())));

/** It becomes the name of a file, also where `A` and `a` are the same file. */
const checkedName = (name: string): string => {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) return name;
  throw new CommandError('usage', 'That is no name of a profile', [
    'It has small letters, digits, dots and dashes, and begins with a letter or digit.',
  ]);
};

const isProfile = (value: object): value is Profile => {
  const { url, keyIn, key, account, expiresAt }: { [Field in keyof Profile]?: unknown } = value;
  return (
    typeof url === 'string' &&
    (keyIn === 'keychain' || (keyIn === 'file' && isKey(key))) &&
    [account, expiresAt].every((text) => text === undefined || typeof text === 'string')
  );
};

const isKey = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const { url, secret }: { url?: unknown; secret?: unknown } = value;
  return typeof url === 'string' && typeof secret === 'string';
};

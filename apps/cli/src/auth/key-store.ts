import { join } from 'node:path';
import { openKeychain } from './keychain.ts';
import {
  configFolder,
  type Environment,
  type Profile,
  readJson,
  writePrivately,
} from './profiles.ts';

type Keys = Record<string, string>;

export const keysFile = (env: Environment): string => join(configFolder(env), 'keys.json');

const readKeys = async (env: Environment): Promise<Keys> =>
  (await readJson<Keys>(keysFile(env))) ?? {};

/** Keeps the key in the system's keychain if there is one, else in a file of mode 600. */
export const storeKey = async (
  env: Environment,
  profile: string,
  key: string,
  { mayUseKeychain }: { mayUseKeychain: boolean },
): Promise<Profile['keyIn']> => {
  if (mayUseKeychain && (await openKeychain(env).write(profile, key))) {
    await removeFromFile(env, profile);
    return 'keychain';
  }
  await writePrivately(env, keysFile(env), { ...(await readKeys(env)), [profile]: key });
  return 'file';
};

export const readKey = async (
  env: Environment,
  name: string,
  { keyIn }: Profile,
): Promise<string | undefined> =>
  keyIn === 'keychain' ? openKeychain(env).read(name) : (await readKeys(env))[name];

export const removeKey = async (
  env: Environment,
  name: string,
  { keyIn }: Profile,
): Promise<void> =>
  keyIn === 'keychain' ? openKeychain(env).remove(name) : removeFromFile(env, name);

const removeFromFile = async (env: Environment, profile: string): Promise<void> => {
  const { [profile]: removed, ...others } = await readKeys(env);
  if (removed !== undefined) await writePrivately(env, keysFile(env), others);
};

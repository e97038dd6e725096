import { CommandError } from '../exit-codes.ts';
import { openKeychain } from './keychain.ts';
import type { Environment } from './private-files.ts';
import type { Profile } from './profiles.ts';

/**
 * Typed by a person or answered by a service, it goes into the command of another program: nothing but a key does.
 * Undefined if it is none.
 */
export const keyFrom = (text: string): string | undefined =>
  /^holdfast_\w{1,200}$/.exec(text.trim())?.[0];

/** A key is kept for one service: whoever changes the URL of a profile must not get to see it. */
const entryOf = (profile: string, url: string): string => `${profile}@${url}`;

type Stored = Pick<Profile, 'keyIn' | 'key'>;

/** Puts the key into the keychain of the system if there is one; else it goes into the profile's own file. */
export const storeKey = async (
  env: Environment,
  profile: string,
  { url, secret }: { url: string; secret: string },
  { mayUseKeychain }: { mayUseKeychain: boolean },
): Promise<Stored> => {
  const isInKeychain =
    mayUseKeychain && (await openKeychain(env).write(entryOf(profile, url), secret));
  return isInKeychain ? { keyIn: 'keychain' } : { keyIn: 'file', key: { url, secret } };
};

/** Undefined if there is none for the URL that the profile has now. */
export const readKey = async (
  env: Environment,
  name: string,
  { url, keyIn, key }: Profile,
): Promise<string | undefined> => {
  if (keyIn === 'keychain') return openKeychain(env).read(entryOf(name, url));
  return key?.url === url ? key.secret : undefined;
};

/** What is in the profile's own file goes with the file. */
export const removeKey = async (
  env: Environment,
  name: string,
  { keyIn, url }: Profile,
): Promise<void> => {
  if (keyIn === 'file') return;
  const keychain = openKeychain(env);
  const entry = entryOf(name, url);
  await keychain.remove(entry);
  if ((await keychain.read(entry)) === undefined) return;
  throw new CommandError('failure', `The key could not be removed from ${keychain.name}`, [
    `Remove its entry there: holdfast, ${entry}`,
  ]);
};

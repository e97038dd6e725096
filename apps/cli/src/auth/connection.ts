import { CommandError } from '../exit-codes.ts';
import { readKey } from './key-store.ts';
import { type Environment, readProfiles } from './profiles.ts';

/** Which service a command talks to, and as whom. */
export type Connection = {
  url: string;
  key: string | undefined;
  /** Where the key comes from, in words. */
  keyFrom: string;
  profile: string;
  /** The end of the profile's key, if it has one. */
  expiresAt?: string;
};

type Choice = { profile?: string; url?: string };

/** Where `npm start` listens. */
const usualUrl = 'http://localhost:3000';

/**
 * The environment wins over the profile. A profile's key goes only to the profile's service: whoever
 * can set a URL must not get to see it.
 */
export const findConnection = async (env: Environment, choice: Choice): Promise<Connection> => {
  const { current, profiles } = await readProfiles(env);
  const profile = choice.profile ?? env.HOLDFAST_PROFILE ?? current;
  const stored = profiles[profile];
  if (choice.profile !== undefined && stored === undefined && choice.url === undefined) {
    throw new CommandError('notSignedIn', `There is no profile ${profile}`, [
      `Sign in: holdfast login --profile ${profile}`,
    ]);
  }
  const url = checkedUrl(choice.url ?? env.HOLDFAST_URL ?? stored?.url ?? usualUrl);
  if (env.HOLDFAST_API_KEY) {
    return { url, key: env.HOLDFAST_API_KEY, keyFrom: 'HOLDFAST_API_KEY', profile };
  }
  const isSameService = stored !== undefined && checkedUrl(stored.url) === url;
  const key = isSameService ? await readKey(env, profile, stored) : undefined;
  return { url, key, keyFrom: `profile ${profile}`, profile, expiresAt: stored?.expiresAt };
};

export const checkedUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new CommandError('usage', `${text} is no URL`, [
      'It begins with https://, such as https://holdfast.example.com',
    ]);
  }
  return url.href.replace(/\/+$/, '');
};

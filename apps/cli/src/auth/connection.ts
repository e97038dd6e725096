import { CommandError } from '../exit-codes.ts';
import { readKey } from './key-store.ts';
import type { Environment } from './private-files.ts';
import { chosenProfile, openProfiles, type Profiles } from './profiles.ts';
import { checkedUrl, isExposed, mayBeExposed, usualUrl } from './service-url.ts';

/** Which service a command talks to, and as whom. */
export type Connection = {
  url: string;
  key: string | undefined;
  /** Where the key comes from, in words. */
  keyFrom: string;
  /** Undefined if the key is the environment's. */
  profile?: string;
  /** The end of the profile's key, if it has one. */
  expiresAt?: string;
};

/** What was typed. */
type Choice = { profile?: string; url?: string };

/**
 * A key goes only to the service that it was made for: the one of the environment to HOLDFAST_URL, or to the usual
 * URL; the one of a profile to the profile's URL. `keyRules` says the same to people.
 */
export const findConnection = async (
  env: Environment,
  choice: Choice,
  warn: (text: string) => void,
): Promise<Connection> => {
  const url = choice.url && checkedUrl(choice.url);
  const variables = ['HOLDFAST_API_KEY', 'HOLDFAST_URL'].filter((name) => env[name]);
  if (choice.profile === undefined && env.HOLDFAST_API_KEY) {
    return fromEnvironment(env, env.HOLDFAST_API_KEY, url);
  }
  if (choice.profile !== undefined && variables.length > 0) {
    warn(`--profile wins over ${variables.join(' and ')}.`);
  }
  const named = choice.profile ?? env.HOLDFAST_PROFILE;
  const otherUrl = url ?? (choice.profile === undefined ? env.HOLDFAST_URL : undefined);
  const profiles = openProfiles(env, warn);
  return fromProfile(env, profiles, { ...choice, isNamed: Boolean(named), otherUrl });
};

export const keyRules = [
  'HOLDFAST_API_KEY and HOLDFAST_URL win over HOLDFAST_PROFILE and over the profile that was signed in to last; --profile wins over them.',
  `A key is sent only to the service that it was made for: HOLDFAST_API_KEY to HOLDFAST_URL (without it to --url, or to ${usualUrl}), the key of a profile to the URL of that profile.`,
  'Without encryption (http://) no key is sent beyond this machine, unless you agreed to it when you signed in, or HOLDFAST_ALLOW_HTTP is 1.',
].join(' ');

const fromEnvironment = (
  env: Environment,
  key: string,
  typedUrl: string | undefined,
): Connection => {
  const ownUrl = env.HOLDFAST_URL ? checkedUrl(env.HOLDFAST_URL) : undefined;
  const url = typedUrl ?? ownUrl ?? usualUrl;
  if (ownUrl !== undefined && ownUrl !== url) {
    throw new CommandError('notSignedIn', `HOLDFAST_API_KEY is for ${ownUrl}, not for ${url}`, [
      'Leave out --url, or set HOLDFAST_URL to the service of the key.',
    ]);
  }
  if (isExposed(url) && !mayBeExposed(env)) {
    throw new CommandError(
      'usage',
      `${url} is not encrypted: others could read the key on its way`,
      ['Use https://, or set HOLDFAST_ALLOW_HTTP=1 if you trust the network.'],
    );
  }
  return { url, key, keyFrom: 'HOLDFAST_API_KEY' };
};

const fromProfile = async (
  env: Environment,
  profiles: Profiles,
  choice: { profile?: string; isNamed: boolean; otherUrl?: string },
): Promise<Connection> => {
  const profile = await chosenProfile(profiles, env, choice.profile);
  const stored = await profiles.read(profile);
  if (stored === undefined && choice.isNamed && choice.otherUrl === undefined) {
    throw noSuchProfile(profile);
  }
  const url = checkedUrl(choice.otherUrl || stored?.url || usualUrl);
  const isSameService = stored !== undefined && checkedUrl(stored.url) === url;
  const key = isSameService ? await readKey(env, profile, stored) : undefined;
  return { url, key, keyFrom: `profile ${profile}`, profile, expiresAt: stored?.expiresAt };
};

export const noSuchProfile = (name: string): CommandError =>
  new CommandError('notSignedIn', `There is no profile ${name}`, [
    `Sign in: holdfast login --profile ${name}`,
  ]);

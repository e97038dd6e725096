import { createHoldfast, HoldfastError } from '@holdfast/sdk';
import { clientOptions } from '../auth/client-options.ts';
import { keyRules } from '../auth/connection.ts';
import { keyFrom, removeKey, storeKey } from '../auth/key-store.ts';
import { type Environment, makeFolder } from '../auth/private-files.ts';
import { chosenProfile, openProfiles, type Profile, type Profiles } from '../auth/profiles.ts';
import { checkedUrl, isExposed, mayBeExposed, usualUrl } from '../auth/service-url.ts';
import { type CommandSpec, type Invocation, yesOption } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { textOf } from '../option-values.ts';
import { relativeTime } from '../output/format.ts';
import { wrap } from '../output/wrap.ts';
import { askSecret, readStdin } from '../prompt.ts';
import { logInByCode } from './device-code.ts';

export const login: CommandSpec = {
  words: ['login'],
  summary: 'Sign in to a service',
  description: `The key is kept in the keychain of the system, or in a file that only you can read. Several services or accounts are kept as profiles. ${keyRules}`,
  options: [
    { flags: '--with-key', description: 'read an API key from standard input instead' },
    {
      flags: '--scopes <list>',
      description: 'what the key shall be allowed; you can take some away when you approve',
      isRepeatable: true,
    },
    { flags: '--name <text>', description: 'name of this machine, shown where you approve' },
    { flags: '--no-keychain', description: 'keep the key in a file of mode 600' },
    { ...yesOption, description: 'do not ask before a key is sent without encryption' },
  ],
  examples: [
    {
      does: 'By a code that you approve in the dashboard',
      line: 'holdfast login --url https://holdfast.example.com',
    },
    {
      does: 'A second account, which may only read',
      line: 'holdfast login --profile reader --scopes servers:read,backups:read',
    },
    {
      does: 'With a key that you created in the dashboard',
      line: 'holdfast login --with-key < key.txt',
    },
  ],
  run: logIn,
};

async function logIn({ context, options }: Invocation): Promise<void> {
  const { env } = context.io;
  const profiles = openProfiles(env, context.warn);
  const name = await chosenProfile(profiles, env, textOf(options.profile));
  const previous = await profiles.read(name);
  const url = serviceOf(previous, env, options);
  if (isExposed(url) && !mayBeExposed(env)) {
    await context.confirm(`${url} is not encrypted: others could read the key on its way.`);
  }
  // Before there is a key that could not be kept.
  await makeFolder(profiles.folder());
  const keep: Keep = (key) => keepKey(context, profiles, { name, url, previous, ...key }, options);
  const signedIn = options.withKey
    ? await keep({ secret: await readGivenKey(context) })
    : await logInAnew(context, url, options, keep);
  if (env.HOLDFAST_API_KEY) {
    context.warn(
      'HOLDFAST_API_KEY is set: it is used in place of this profile, unless --profile names it.',
    );
  }
  await context.output.show({ profile: name, ...signedIn }, () => describe(context, signedIn));
}

/** A profile that was named keeps its service; any other gives way to HOLDFAST_URL. */
const serviceOf = (
  previous: Profile | undefined,
  env: Environment,
  options: Record<string, unknown>,
): string => {
  const isNamed = previous !== undefined && textOf(options.profile) !== undefined;
  const ofEnvironment = isNamed ? undefined : env.HOLDFAST_URL;
  return checkedUrl(textOf(options.url) || ofEnvironment || previous?.url || usualUrl);
};

type NewKey = { secret: string; expiresAt?: string };
type SignedIn = { url: string; account: string; keyIn: string; expiresAt?: string };
type Keep = (key: NewKey) => Promise<SignedIn>;

/** Checks the key, and only then keeps it. */
const keepKey = async (
  { io: { env }, warn }: Context,
  profiles: Profiles,
  { name, url, previous, secret, expiresAt }: NewKey & Target,
  options: Record<string, unknown>,
): Promise<SignedIn> => {
  const account = await accountOf(env, { url, key: secret });
  const mayUseKeychain = options.keychain !== false;
  const stored = await storeKey(env, name, { url, secret }, { mayUseKeychain });
  const profile = { url, account, expiresAt, ...stored };
  try {
    await profiles.write(name, profile);
    await profiles.use(name);
  } catch (error) {
    await removeKey(env, name, profile).catch(warnOf(warn));
    await (previous ? profiles.write(name, previous) : profiles.remove(name)).catch(warnOf(warn));
    throw error;
  }
  const isReplaced = stored.keyIn === 'keychain' && previous?.url === url;
  if (previous && !isReplaced) await removeKey(env, name, previous).catch(warnOf(warn));
  return { url, account, keyIn: stored.keyIn, expiresAt };
};

/** For what is only tidied up: whether one is signed in does not depend on it. */
const warnOf = (warn: Context['warn']) => (error: unknown) =>
  warn(error instanceof Error ? error.message : String(error));

type Target = { name: string; url: string; previous: Profile | undefined };

/** From the approval on there is a new key, of which its owner must know if it is not kept. */
const logInAnew = async (
  context: Context,
  url: string,
  options: Record<string, unknown>,
  keep: Keep,
): Promise<SignedIn> => {
  const { key, expiresAt } = await logInByCode(context, url, options);
  const secret = keyFrom(key);
  if (secret === undefined) {
    throw new CommandError('failure', `What ${url} answered is no API key: is this Holdfast?`);
  }
  try {
    return await keep({ secret, expiresAt });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const exit = error instanceof CommandError ? error.exit : 'failure';
    throw new CommandError(exit, `The new key is not kept here: ${reason}`, [
      `It is valid all the same until ${expiresAt}. Revoke it in the dashboard, under API keys: it is the newest.`,
    ]);
  }
};

const readGivenKey = async ({ io, isInteractive }: Context): Promise<string> => {
  const key = keyFrom(isInteractive ? await askSecret(io, 'API key: ') : await readStdin(io));
  if (key !== undefined) return key;
  throw new CommandError('usage', 'That is no API key: it begins with holdfast_', [
    'Create one in the dashboard, under API keys.',
  ]);
};

/** The name of its account; a key without the scope to read it is good all the same. */
const accountOf = async (
  env: Environment,
  connection: { url: string; key: string },
): Promise<string> => {
  try {
    return (await createHoldfast(clientOptions(env, connection)).getAccount()).username;
  } catch (error) {
    if (error instanceof HoldfastError && error.is('missingScope')) return 'an unnamed account';
    throw error;
  }
};

const describe = ({ output }: Context, { url, account, keyIn, expiresAt }: SignedIn): string => {
  const place = keyIn === 'keychain' ? 'the keychain' : 'a file that only you can read';
  const end = expiresAt === undefined ? '' : ` and ends ${relativeTime(expiresAt)}`;
  const done = output.style.green('Signed in');
  const sentence = `${done} at ${url} as ${account}. The key is in ${place}${end}.`;
  return wrap(sentence, output.columns, 0);
};

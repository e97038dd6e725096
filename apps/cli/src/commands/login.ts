import { createHoldfast, HoldfastError } from '@holdfast/sdk';
import { checkedUrl } from '../auth/connection.ts';
import { removeKey, storeKey } from '../auth/key-store.ts';
import { readProfiles, writeProfiles } from '../auth/profiles.ts';
import type { CommandSpec, Invocation } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { textOf } from '../option-values.ts';
import { relativeTime } from '../output/format.ts';
import { ask, readStdin } from '../prompt.ts';
import { logInByCode } from './device-code.ts';

export const login: CommandSpec = {
  words: ['login'],
  summary: 'Sign in to a service',
  description:
    'The key is kept in the keychain of the system, or in a file that only you can read. Several services or accounts are kept as profiles. HOLDFAST_API_KEY and HOLDFAST_URL win over all of them.',
  options: [
    { flags: '--with-key', description: 'read an API key from standard input instead' },
    {
      flags: '--scopes <list>',
      description: 'what the key shall be allowed; you can take some away when you approve',
      isRepeatable: true,
    },
    { flags: '--name <text>', description: 'name of this machine, shown where you approve' },
    { flags: '--no-keychain', description: 'keep the key in a file of mode 600' },
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
  const profiles = await readProfiles(env);
  const name = textOf(options.profile) ?? profiles.current;
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw new CommandError('usage', 'The name of a profile has letters, digits, dots and dashes');
  }
  const stored = profiles.profiles[name];
  const url = checkedUrl(
    textOf(options.url) ?? env.HOLDFAST_URL ?? stored?.url ?? 'http://localhost:3000',
  );
  const { key, expiresAt } = options.withKey
    ? { key: await readGivenKey(context), expiresAt: undefined }
    : await logInByCode(context, url, options);
  const account = await checkKey(url, key);
  const keyIn = await storeKey(env, name, key, { mayUseKeychain: options.keychain !== false });
  await writeProfiles(env, {
    current: name,
    profiles: { ...profiles.profiles, [name]: { url, account, keyIn, expiresAt } },
  });
  await context.output.show({ profile: name, url, account, keyIn, expiresAt }, () => {
    const { green } = context.output.style;
    const place = keyIn === 'keychain' ? 'the keychain' : 'a file that only you can read';
    const end = expiresAt === undefined ? '' : ` and ends ${relativeTime(expiresAt)}`;
    return `${green('Signed in')} at ${url} as ${account}. The key is in ${place}${end}.`;
  });
}

const readGivenKey = async ({ io, isInteractive }: Context): Promise<string> => {
  const key = isInteractive ? await ask(io, 'API key: ') : await readStdin(io);
  if (/^holdfast_\w+$/.test(key.trim())) return key.trim();
  throw new CommandError('usage', 'That is no API key: it begins with holdfast_', [
    'Create one in the dashboard, under API keys.',
  ]);
};

/** The name of its account; a key without the scope to read it is good all the same. */
const checkKey = async (url: string, key: string): Promise<string> => {
  try {
    return (await createHoldfast({ baseUrl: url, key }).getAccount()).username;
  } catch (error) {
    if (error instanceof HoldfastError && error.is('missingScope')) return 'an unnamed account';
    throw error;
  }
};

export const logout: CommandSpec = {
  words: ['logout'],
  summary: 'Forget the key of a profile',
  description:
    'The key itself stays valid: revoke it with "holdfast keys delete" or in the dashboard.',
  examples: [{ does: 'Sign out here', line: 'holdfast logout' }],
  async run({ context, options }) {
    const { env } = context.io;
    const { current, profiles } = await readProfiles(env);
    const name = textOf(options.profile) ?? current;
    const { [name]: removed, ...others } = profiles;
    if (!removed) throw new CommandError('notSignedIn', `There is no profile ${name}`);
    await removeKey(env, name, removed);
    const next = name === current ? (Object.keys(others)[0] ?? 'default') : current;
    await writeProfiles(env, { current: next, profiles: others });
    await context.output.show(
      { profile: name, url: removed.url, signedOut: true },
      () => `Signed out of ${removed.url}.`,
    );
  },
};

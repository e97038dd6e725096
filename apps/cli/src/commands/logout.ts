import { noSuchProfile } from '../auth/connection.ts';
import { removeKey } from '../auth/key-store.ts';
import { chosenProfile, openProfiles } from '../auth/profiles.ts';
import type { CommandSpec } from '../command.ts';
import { textOf } from '../option-values.ts';

export const logout: CommandSpec = {
  words: ['logout'],
  summary: 'Forget the key of a profile',
  description:
    'The key itself stays valid: revoke it with "holdfast keys delete" or in the dashboard.',
  examples: [
    { does: 'Sign out here', line: 'holdfast logout' },
    { does: 'Of another profile', line: 'holdfast logout --profile reader' },
  ],
  async run({ context, options }) {
    const { env } = context.io;
    const profiles = openProfiles(env, context.warn);
    const name = await chosenProfile(profiles, env, textOf(options.profile));
    const stored = await profiles.read(name);
    if (!stored) throw noSuchProfile(name);
    await removeKey(env, name, stored);
    await profiles.remove(name);
    if (name === (await profiles.current())) {
      await profiles.use((await profiles.names())[0] ?? 'default');
    }
    await context.output.show(
      { profile: name, url: stored.url, signedOut: true },
      () => `Signed out of ${stored.url}.`,
    );
  },
};

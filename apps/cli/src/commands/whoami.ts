import { HoldfastError } from '@holdfast/sdk';
import type { CommandSpec } from '../command.ts';
import type { Context } from '../context.ts';

export const whoami: CommandSpec = {
  words: ['whoami'],
  summary: 'Show which account and service the commands use',
  outputFields: ['url', 'profile', 'keyFrom', 'keyExpiresAt', 'account'],
  examples: [
    { does: 'Who am I, and where', line: 'holdfast whoami' },
    { does: 'The plan, for a script', line: 'holdfast whoami --jq .account.plan' },
  ],
  async run({ context }) {
    const { url, keyFrom, profile, expiresAt } = await context.connection();
    const account = await readAccount(context);
    await context.output.show({ url, profile, keyFrom, keyExpiresAt: expiresAt, account });
  },
};

/** A key need not have the scope to read its account; it is a good key all the same. */
const readAccount = async (context: Context) => {
  const holdfast = await context.holdfast();
  try {
    const { id, username, displayName, plan, _count } = await holdfast.getAccount();
    return { id, username, displayName, plan, servers: _count.servers };
  } catch (error) {
    if (error instanceof HoldfastError && error.is('missingScope')) {
      return { scopes: error.yourScopes };
    }
    throw error;
  }
};

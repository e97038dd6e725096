import { AsyncLocalStorage } from 'node:async_hooks';

const accounts = new AsyncLocalStorage<string>();

/**
 * Everything that `work` asks of the platform is counted for this account. What nobody is named for,
 * such as people signing in, is counted in the total alone.
 */
export const onBehalfOf = <Outcome>(
  accountId: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> => accounts.run(accountId, work);

export const actingAccount = (): string | undefined => accounts.getStore();

import { HoldfastError } from '@holdfast/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { accountQuery, overviewQuery } from '../queries/account.ts';
import { unreadAlertsQuery } from '../queries/alerts.ts';
import { backupUsageQuery } from '../queries/recovery.ts';
import { allServersQuery } from '../queries/servers.ts';

/** Leads to the login when the session has ended, and back to this page afterwards. */
const signInAgain = (error: unknown): void => {
  if (!(error instanceof HoldfastError && error.kind === 'unauthorized')) return;
  const here = `${location.pathname}${location.search}`;
  location.assign(`/login?next=${encodeURIComponent(here)}`);
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: signInAgain }),
  mutationCache: new MutationCache({ onError: signInAgain }),
  // The SDK already retries where that can help.
  defaultOptions: { queries: { retry: false, staleTime: 2000 }, mutations: { retry: false } },
});

/** A slow answer does not hold back what can be drawn without it. */
const longestWaitMs = 1000;

/**
 * Reads what the frame shows, and on the overview what that shows, so that the first drawing is whole: to
 * draw again for each answer costs a phone more than all answers together.
 */
export const readFirstAnswers = async (pathname: string): Promise<void> => {
  const answers = [
    queryClient.prefetchQuery(accountQuery),
    queryClient.prefetchQuery(allServersQuery),
    queryClient.prefetchQuery(unreadAlertsQuery),
  ];
  if (pathname === '/') {
    answers.push(queryClient.prefetchQuery(overviewQuery));
    answers.push(queryClient.prefetchQuery(backupUsageQuery));
  }
  const { promise: waitedLongEnough, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, longestWaitMs);
  await Promise.race([Promise.all(answers), waitedLongEnough]);
};

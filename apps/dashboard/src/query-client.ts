import { HoldfastError } from '@holdfast/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

/** Whose session has ended signs in again, and comes back to where they were. */
const signInAgain = (error: unknown): void => {
  if (!(error instanceof HoldfastError && error.kind === 'unauthorized')) return;
  const here = `${location.pathname}${location.search}`;
  location.assign(`/login?next=${encodeURIComponent(here)}`);
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: signInAgain }),
  mutationCache: new MutationCache({ onError: signInAgain }),
  // The SDK waits and tries again by itself where that can help.
  defaultOptions: { queries: { retry: false, staleTime: 2000 }, mutations: { retry: false } },
});

import type { PlanName } from '@holdfast/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { queryKeys } from './query-keys.ts';
import { refetchMs, staleMs, unlessLive } from './refetch.ts';

/** The balance, and how the plan is paid for. */
export const billingStatusQuery = queryOptions({
  queryKey: [...queryKeys.ledger, 'status'],
  queryFn: () => api.getBillingStanding(),
  refetchInterval: () => unlessLive(refetchMs.usual),
});

export const ledgerQuery = (page: number) =>
  queryOptions({
    queryKey: [...queryKeys.ledger, page],
    queryFn: () => api.listLedger({ query: { page } }),
    placeholderData: keepPreviousData,
    refetchInterval: () => unlessLive(refetchMs.usual),
  });

export const billingEventsQuery = (page: number) =>
  queryOptions({
    queryKey: [...queryKeys.billingEvents, page],
    queryFn: () => api.listBillingEvents({ query: { page } }),
    placeholderData: keepPreviousData,
    refetchInterval: () => unlessLive(refetchMs.usual),
  });

/** What a change of the card subscription makes outdated. */
export const changedBySubscription = [
  ...[queryKeys.account, queryKeys.billingEvents, queryKeys.ledger],
];

export const upgradePreviewQuery = (plan: Exclude<PlanName, 'FREE'>) =>
  queryOptions({
    queryKey: [...queryKeys.ledger, 'preview', plan],
    queryFn: () => api.previewUpgrade({ query: { plan } }),
    // The amount falls by the second.
    ...{ staleTime: 0, gcTime: 0, retry: false },
  });

export const receiptsQuery = queryOptions({
  queryKey: [...queryKeys.ledger, 'receipts'],
  queryFn: () => api.listReceipts(),
});

export const plansQuery = queryOptions({
  queryKey: queryKeys.plans,
  queryFn: () => api.listPlans(),
  staleTime: staleMs.rarelyChanged,
});

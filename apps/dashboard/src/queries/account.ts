import type { ActorType } from '@holdfast/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { queryKeys } from './query-keys.ts';
import { refetchMs, staleMs, unlessLive } from './refetch.ts';

/** Who is signed in, their plan and its limits. */
export const accountQuery = queryOptions({
  queryKey: queryKeys.account,
  queryFn: () => api.getAccount(),
  staleTime: staleMs.account,
});

/** Sessions end with time too, which no stream tells of. */
export const sessionsQuery = queryOptions({
  queryKey: queryKeys.sessions,
  queryFn: () => api.listSessions(),
  refetchInterval: refetchMs.slow,
});

export const overviewQuery = queryOptions({
  queryKey: queryKeys.overview,
  queryFn: () => api.getOverview(),
  refetchInterval: ({ state }) => {
    const isRunning = state.data?.servers.some(({ running }) => running.length > 0);
    return unlessLive(isRunning ? refetchMs.running : refetchMs.usual);
  },
});

export const botsQuery = queryOptions({
  queryKey: queryKeys.bots,
  queryFn: () => api.listBots(),
  refetchInterval: () => unlessLive(refetchMs.usual),
});

export const apiKeysQuery = (page: number) =>
  queryOptions({
    queryKey: [...queryKeys.apiKeys, page],
    queryFn: () => api.listKeys({ query: { page, limit: 20 } }),
    placeholderData: keepPreviousData,
    refetchInterval: () => unlessLive(refetchMs.usual),
  });

/** The newest keys, to name one by its id. */
export const newestApiKeysQuery = queryOptions({
  queryKey: [...queryKeys.apiKeys, 'newest'],
  queryFn: () => api.listKeys({ query: { limit: 100 } }),
  staleTime: staleMs.rarelyChanged,
});

export type AuditFilter = { actorType?: ActorType; subjectType?: string; action?: string };

export const isFiltered = (filter: AuditFilter): boolean => Object.keys(filter).length > 0;

export const auditQuery = (filter: AuditFilter, page: number) =>
  queryOptions({
    queryKey: [...(page === 1 ? queryKeys.audit : queryKeys.olderAudit), filter, page],
    queryFn: () => {
      const query = { page, limit: 25 };
      return isFiltered(filter)
        ? api.findAudit({ query: { ...query, ...filter } })
        : api.listAudit({ query });
    },
    placeholderData: keepPreviousData,
    refetchInterval: () => unlessLive(page === 1 ? refetchMs.usual : false),
  });

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { useOutletContext } from 'react-router';
import { api } from '../api.ts';
import { queryKeys } from './query-keys.ts';
import type { MemberSort, Server } from './records.ts';
import { keepWithin, refetchMs, staleMs, unlessLive } from './refetch.ts';

export const serversQuery = (page: number) =>
  queryOptions({
    queryKey: [...queryKeys.servers, page],
    queryFn: () => api.listServers({ query: { page } }),
    placeholderData: keepPreviousData,
    refetchInterval: () => unlessLive(refetchMs.usual),
  });

/** All servers of the account, to choose from or to name one by its id. No plan has more than 100. */
export const allServersQuery = queryOptions({
  queryKey: [...queryKeys.servers, 'all'],
  queryFn: () => api.listServers({ query: { limit: 100 } }),
  staleTime: staleMs.account,
  refetchInterval: () => unlessLive(refetchMs.rare),
});

export const serverQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.server(id),
    queryFn: () => api.getServer({ params: { id } }),
    refetchInterval: () => unlessLive(refetchMs.usual),
  });

/** The server whose pages these are: the frame around them reads it before it shows them. */
export const useServer = (): Server => useOutletContext<Server>();

/** Roles and channels by name, read from the platform through the server's bot. */
export const guildQuery = (serverId: string) =>
  queryOptions({
    queryKey: queryKeys.guild(serverId),
    queryFn: () => api.getGuild({ params: { id: serverId } }),
    staleTime: staleMs.guild,
  });

export type MembersFilter = { sort: MemberSort; search?: string; pullable?: boolean };

export const membersQuery = (serverId: string, filter: MembersFilter & { page: number }) =>
  queryOptions({
    queryKey: [...queryKeys.members(serverId), filter],
    queryFn: () => api.findMembers({ params: { id: serverId }, query: { ...filter, limit: 50 } }),
    placeholderData: keepWithin(serverId),
    refetchInterval: () => unlessLive(refetchMs.live),
  });

/** Below the key of the list, so that what changes the list is read again here too. */
export const memberHistoryQuery = (serverId: string, memberId: string) =>
  queryOptions({
    queryKey: [...queryKeys.members(serverId), 'history', memberId],
    queryFn: () => api.getMemberHistory({ params: { id: serverId, memberId } }),
    refetchInterval: () => unlessLive(refetchMs.slow),
  });

/**
 * A day is followed closely; longer periods change slowly and cost the service more. What falls out of a
 * period changes it too, so it is polled, also while a stream tells of changes.
 */
export const analyticsQuery = (serverId: string, period: string) =>
  queryOptions({
    queryKey: [...queryKeys.analytics(serverId), period],
    queryFn: () => api.getAnalytics({ params: { id: serverId }, query: { period } }),
    placeholderData: keepWithin(serverId),
    refetchInterval: period === '24h' ? refetchMs.usual : refetchMs.rare,
  });

/** A role with dangerous permissions is chosen in the settings of a server, where it is confirmed. */
export const isHarmless = ({ dangerousPermissions }: { dangerousPermissions: string[] }): boolean =>
  dangerousPermissions.length === 0;

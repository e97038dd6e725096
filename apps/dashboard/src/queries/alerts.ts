import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { queryKeys } from './query-keys.ts';
import { refetchMs, unlessLive } from './refetch.ts';

/** How many alerts are not read, for the bell on every page. */
export const unreadAlertsQuery = queryOptions({
  queryKey: [...queryKeys.alerts, 'unread'],
  queryFn: () => api.countUnreadAlerts(),
  refetchInterval: () => unlessLive(refetchMs.slow),
});

/** Those that the bell shows. */
export const newestAlertsQuery = queryOptions({
  queryKey: [...queryKeys.alerts, 'newest'],
  queryFn: () => api.listAlerts({ query: { page: 1, limit: 6 } }),
  refetchInterval: () => unlessLive(refetchMs.slow),
});

/** Unread ones are the newest: all that the bell counts fit on one page. */
export const alertsQuery = (page: number, isUnreadOnly: boolean) =>
  queryOptions({
    queryKey: [...queryKeys.alerts, 'page', page, isUnreadOnly],
    queryFn: () =>
      api.listAlerts({ query: isUnreadOnly ? { page: 1, limit: 100 } : { page, limit: 20 } }),
    placeholderData: keepPreviousData,
    refetchInterval: () => unlessLive(refetchMs.slow),
  });

export const alertSettingsQuery = queryOptions({
  queryKey: queryKeys.alertSettings,
  queryFn: () => api.getAlertSettings(),
  refetchInterval: () => unlessLive(refetchMs.rare),
});

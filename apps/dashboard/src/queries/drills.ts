import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { isRunning } from '../labels/status.ts';
import { queryKeys } from './query-keys.ts';
import { refetchMs, unlessLive } from './refetch.ts';

/** The last fire drills of a server, newest first. */
export const drillsQuery = (serverId: string) =>
  queryOptions({
    queryKey: queryKeys.drills(serverId),
    queryFn: () => api.listDrills({ params: { id: serverId } }),
    refetchInterval: ({ state: { data } }) =>
      unlessLive(data?.drills.some(isRunning) ? refetchMs.running : refetchMs.rare),
  });

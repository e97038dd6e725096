import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { isRunning } from '../labels/status.ts';
import { queryKeys } from './query-keys.ts';
import type { MassVerificationRequest } from './records.ts';
import { refetchMs, staleMs, unlessLive } from './refetch.ts';

/** The newest of a server; one that runs is the first of them. */
export const massVerificationsQuery = (serverId: string) =>
  queryOptions({
    queryKey: queryKeys.massVerifications(serverId),
    queryFn: () => api.listMassVerifications({ params: { id: serverId }, query: { limit: 10 } }),
    refetchInterval: ({ state: { data } }) =>
      unlessLive(data?.data.some(isRunning) ? refetchMs.running : false),
  });

/** Asks the platform, so it is not read again by itself. */
export const massVerificationPreviewQuery = (
  serverId: string,
  filter: MassVerificationRequest,
  lastEndedAt: string | null,
) =>
  queryOptions({
    queryKey: [...queryKeys.massVerificationPreview(serverId), filter, lastEndedAt],
    queryFn: () => api.previewMassVerification({ params: { id: serverId }, query: filter }),
    staleTime: staleMs.guild,
    refetchOnWindowFocus: false,
  });

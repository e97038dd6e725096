import type { Output } from '@holdfast/sdk';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { keepWithin } from '../../parts/keep-within.ts';

export type RestoreRecord = Output<'getRestore'>;

const soonMs = 2000;
const laterMs = 10_000;

export const isActive = ({ status }: Pick<RestoreRecord, 'status'>): boolean =>
  status === 'queued' || status === 'snapshotting' || status === 'running';

export const useRestores = (serverId: string, limit: number) =>
  useQuery({
    queryKey: ['restores', serverId, limit],
    queryFn: () => api.listRestores({ params: { id: serverId }, query: { limit } }),
    placeholderData: keepWithin(serverId),
    refetchInterval: ({ state }) => (state.data?.data.some(isActive) ? soonMs : laterMs),
  });

export const useRestore = (restoreId: string) =>
  useQuery({
    queryKey: ['restore', restoreId],
    queryFn: () => api.getRestore({ params: { id: restoreId } }),
    refetchInterval: ({ state: { data } }) => (data && isActive(data) ? soonMs : false),
  });

/** What it restores, and how far each stage is; read a last time when it has ended. */
export const useRestoreCourse = (restoreId: string, status: RestoreRecord['status']) =>
  useQuery({
    queryKey: ['restore', restoreId, 'course', isActive({ status })],
    queryFn: () => api.getRestoreCourse({ params: { id: restoreId } }),
    placeholderData: keepWithin(restoreId),
    refetchInterval: isActive({ status }) ? soonMs : false,
  });

import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { keepWithin } from '../../parts/keep-within.ts';
import { awaitsDrill, isUnderWay } from './backup-words.ts';

const soonMs = 2000;
const laterMs = 10_000;

export const useBackups = (serverId: string, page: number) =>
  useQuery({
    queryKey: ['backups', serverId, page],
    queryFn: () => api.listBackups({ params: { id: serverId }, query: { page } }),
    placeholderData: keepWithin(serverId),
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? soonMs : laterMs),
  });

export const useBackup = (serverId: string, backupId: string) =>
  useQuery({
    queryKey: ['backup', serverId, backupId],
    queryFn: () => api.getBackup({ params: { id: serverId, backupId } }),
    refetchInterval: ({ state: { data } }) =>
      data && (isUnderWay(data) || awaitsDrill(data)) ? soonMs : false,
  });

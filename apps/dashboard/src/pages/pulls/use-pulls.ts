import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { keepWithin } from '../../parts/keep-within.ts';
import { isUnderWay } from './pull-words.ts';

const soonMs = 2000;
const laterMs = 10_000;

export const usePulls = (serverId: string, page: number) =>
  useQuery({
    queryKey: ['pulls', serverId, page],
    queryFn: () => api.listPulls({ params: { id: serverId }, query: { page } }),
    placeholderData: keepWithin(serverId),
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? soonMs : laterMs),
  });

export const usePull = (pullId: string) =>
  useQuery({
    queryKey: ['pull', pullId],
    queryFn: () => api.getPull({ params: { id: pullId } }),
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? soonMs : false),
  });

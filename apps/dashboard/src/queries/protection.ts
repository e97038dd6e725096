import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { queryKeys } from './query-keys.ts';
import type { Incident } from './records.ts';
import { keepWithin, refetchMs, unlessLive } from './refetch.ts';

/** Asks the platform what the bot could stop at present. */
export const protectionQuery = (serverId: string) =>
  queryOptions({
    queryKey: queryKeys.protection(serverId),
    queryFn: () => api.getProtection({ params: { id: serverId } }),
    refetchInterval: () => unlessLive(refetchMs.rare),
  });

/** What changes with the settings of protection. */
export const changedByProtection = (serverId: string) => [
  queryKeys.protection(serverId),
  queryKeys.server(serverId),
  queryKeys.servers,
];

export const incidentsQuery = (serverId: string, page: number) =>
  queryOptions({
    queryKey: [...queryKeys.incidents(serverId), page],
    queryFn: () => api.listIncidents({ params: { id: serverId }, query: { page } }),
    placeholderData: keepWithin(serverId),
    refetchInterval: () => unlessLive(refetchMs.live),
  });

export const incidentQuery = (incidentId: string) =>
  queryOptions({
    queryKey: queryKeys.incident(incidentId),
    queryFn: () => api.getIncident({ params: { id: incidentId } }),
    refetchInterval: ({ state }) => {
      const isOpen = state.data !== undefined && state.data.endedAt === null;
      return unlessLive(isOpen ? refetchMs.running : refetchMs.rare);
    },
  });

/** Who did what, and what was done about it; read a last time when it has ended. */
export const incidentCourseQuery = ({ id, endedAt }: Pick<Incident, 'id' | 'endedAt'>) =>
  queryOptions({
    queryKey: [...queryKeys.incident(id), 'course', endedAt],
    queryFn: () => api.getIncidentCourse({ params: { id } }),
    placeholderData: keepWithin(id),
    refetchInterval: () => unlessLive(endedAt === null ? refetchMs.running : false),
  });

/** The newcomers of a raid, and what was decided about them. */
export const waveQuery = (incidentId: string) =>
  queryOptions({
    queryKey: [...queryKeys.incident(incidentId), 'wave'],
    queryFn: () => api.getWave({ params: { id: incidentId } }),
    refetchInterval: () => unlessLive(refetchMs.running),
  });

/** Those who are or were held; the likeliest raiders first. */
export const newcomersQuery = (incidentId: string, page: number) =>
  queryOptions({
    queryKey: [...queryKeys.incident(incidentId), 'newcomers', page],
    queryFn: () =>
      api.listNewcomers({
        params: { id: incidentId },
        query: { isHeld: true, page, limit: 25 },
      }),
    placeholderData: keepWithin(incidentId),
    refetchInterval: () => unlessLive(refetchMs.live),
  });

export type ActFilter = { executorId?: string; action?: string };

export const incidentActsQuery = (incidentId: string, filter: ActFilter, page: number) =>
  queryOptions({
    queryKey: [...queryKeys.incident(incidentId), 'acts', filter, page],
    queryFn: () =>
      api.listIncidentActs({
        params: { id: incidentId },
        query: { ...filter, page, limit: 25 },
      }),
    placeholderData: keepWithin(incidentId),
    refetchInterval: () => unlessLive(refetchMs.live),
  });

/** What changes when an incident is decided about. */
export const changedByIncident = (serverId: string, incidentId: string) => [
  queryKeys.incident(incidentId),
  queryKeys.incidents(serverId),
  queryKeys.overview,
];

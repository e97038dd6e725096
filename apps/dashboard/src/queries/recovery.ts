import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api.ts';
import { awaitsTestRestore } from '../labels/backups.ts';
import { isRunning } from '../labels/status.ts';
import { queryKeys } from './query-keys.ts';
import type { BackupRecord, RestoreRecord, RestoreRequest } from './records.ts';
import { keepWithin, refetchMs, staleMs, unlessLive } from './refetch.ts';

type Job = { status: string };

const intervalOfList = ({ state }: { state: { data?: { data: Job[] } } }): number | false =>
  unlessLive(state.data?.data.some(isRunning) ? refetchMs.running : refetchMs.usual);

const intervalOfJob = ({ state: { data } }: { state: { data?: Job } }): number | false =>
  unlessLive(data && isRunning(data) ? refetchMs.running : false);

type Pages = { page?: number; limit?: number };

export const backupsQuery = (serverId: string, pages: Pages = { page: 1 }) =>
  queryOptions({
    queryKey: [...queryKeys.backups(serverId), pages],
    queryFn: () => api.listBackups({ params: { id: serverId }, query: pages }),
    placeholderData: keepWithin(serverId),
    refetchInterval: intervalOfList,
  });

/** Its test restore follows by itself, and the page waits for that too. */
export const backupQuery = (serverId: string, backupId: string) =>
  queryOptions({
    queryKey: queryKeys.backup(serverId, backupId),
    queryFn: () => api.getBackup({ params: { id: serverId, backupId } }),
    refetchInterval: ({ state: { data } }) => {
      const isAwaited = data && (isRunning(data) || awaitsTestRestore(data));
      return unlessLive(isAwaited ? refetchMs.running : false);
    },
  });

type Stored = Pick<BackupRecord, 'id' | 'serverId' | 'checksum'>;

/** What is in a backup: another checksum means another content. */
export const contentsQuery = ({ id, serverId, checksum }: Stored) =>
  queryOptions({
    queryKey: [...queryKeys.backupContents(serverId, id), checksum],
    queryFn: () => api.getBackupContents({ params: { id: serverId, backupId: id } }),
    staleTime: staleMs.rarelyChanged,
  });

/** The names of channels and roles in a backup by their ids, as soon as they are read. */
export const useNamesIn = (backup: Stored): ((platformId: string) => string | undefined) => {
  const { data, isPending } = useQuery(contentsQuery(backup));
  return useMemo(() => {
    // Rather nothing for a moment than a number where a name belongs.
    if (isPending) return (platformId) => (/^\d{17,20}$/.test(platformId) ? '…' : undefined);
    const channels = data?.channels.flatMap((branch) => [branch, ...branch.children]) ?? [];
    const all = [...channels, ...(data?.roles ?? [])];
    const names = new Map(all.map(({ platformId, name }) => [platformId, name]));
    return (platformId) => names.get(platformId);
  }, [data, isPending]);
};

/** How it differs from another backup, or from the server as it is now (`live`). */
export const comparisonQuery = ({ id, serverId, checksum }: Stored, other: string) =>
  queryOptions({
    queryKey: [...queryKeys.comparison(serverId, id), checksum, other],
    queryFn: () =>
      api.compareBackup({ params: { id: serverId, backupId: id }, query: { with: other } }),
    staleTime: staleMs.guild,
  });

/** How many backups and how much storage the account uses, over all its servers. */
export const backupUsageQuery = queryOptions({
  queryKey: queryKeys.backupUsage,
  queryFn: () => api.getBackupUsage(),
  refetchInterval: () => unlessLive(refetchMs.usual),
});

/** What changes when a backup of the server is created or deleted. */
export const changedByBackup = (serverId: string) => [
  queryKeys.backups(serverId),
  queryKeys.backupUsage,
  queryKeys.server(serverId),
];

export const restoresQuery = (serverId: string, limit: number) =>
  queryOptions({
    queryKey: [...queryKeys.restores(serverId), limit],
    queryFn: () => api.listRestores({ params: { id: serverId }, query: { limit } }),
    placeholderData: keepWithin(serverId),
    refetchInterval: intervalOfList,
  });

export const restoreQuery = (restoreId: string) =>
  queryOptions({
    queryKey: queryKeys.restore(restoreId),
    queryFn: () => api.getRestore({ params: { id: restoreId } }),
    refetchInterval: intervalOfJob,
  });

/** Which backups it is made of, and how far each stage is; read a last time when it has ended. */
export const restoreDetailsQuery = (restore: Pick<RestoreRecord, 'id' | 'status'>) =>
  queryOptions({
    queryKey: [...queryKeys.restore(restore.id), 'details', isRunning(restore)],
    queryFn: () => api.getRestoreCourse({ params: { id: restore.id } }),
    placeholderData: keepWithin(restore.id),
    refetchInterval: () => unlessLive(isRunning(restore) ? refetchMs.running : false),
  });

export const pullsQuery = (serverId: string, page: number) =>
  queryOptions({
    queryKey: [...queryKeys.pulls(serverId), page],
    queryFn: () => api.listPulls({ params: { id: serverId }, query: { page } }),
    placeholderData: keepWithin(serverId),
    refetchInterval: intervalOfList,
  });

export const pullQuery = (pullId: string) =>
  queryOptions({
    queryKey: queryKeys.pull(pullId),
    queryFn: () => api.getPull({ params: { id: pullId } }),
    refetchInterval: intervalOfJob,
  });

/** What a pull would give back, and how long each member takes. */
export const pullPreviewQuery = (serverId: string, targetServerId: string) =>
  queryOptions({
    queryKey: [...queryKeys.pullPreview(serverId), targetServerId],
    queryFn: () => api.previewPull({ params: { id: serverId }, query: { targetServerId } }),
    staleTime: staleMs.guild,
  });

/** Nobody tells of guilds that have no server yet, so the platform is asked again and again. */
export const newGuildsQuery = (serverId: string) =>
  queryOptions({
    queryKey: queryKeys.newGuilds(serverId),
    queryFn: () => api.listNewGuilds({ params: { id: serverId } }),
    refetchInterval: refetchMs.live,
  });

/** What a restore would do to the server as it is now. */
export const recoveryPlanQuery = (
  { id: backupId, serverId }: Pick<BackupRecord, 'id' | 'serverId'>,
  guildId: string,
  request: RestoreRequest,
) =>
  queryOptions({
    queryKey: [...queryKeys.recoveryPlan(serverId), guildId, backupId, request],
    queryFn: () => api.planRestore({ params: { id: serverId, backupId }, body: request }),
    staleTime: staleMs.guild,
    // An attack may go on while its owner reads.
    refetchInterval: refetchMs.rare,
  });

export const lostMembersQuery = (serverId: string, since: string) =>
  queryOptions({
    queryKey: [...queryKeys.lostMembers(serverId), since],
    queryFn: () => api.countLostMembers({ params: { id: serverId }, query: { since } }),
    refetchInterval: () => unlessLive(refetchMs.usual),
  });

import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { distinctName } from '../../labels/incidents.ts';
import type { BackupContents, IncidentCourse } from '../../queries/records.ts';
import { backupQuery, contentsQuery } from '../../queries/recovery.ts';
import { guildQuery, useServer } from '../../queries/servers.ts';

/** Stands for whoever did what the audit log does not tell of. */
const nobodyKnown = '0';

/** The names of those who took part; of two with the same name, the bot is called so. */
export const usePersonName = (course: IncidentCourse | undefined) =>
  useCallback(
    (platformId: string): string => {
      if (platformId === nobodyKnown) return 'Somebody who is not known';
      const executors = course?.executors ?? [];
      const known = executors.find((executor) => executor.platformId === platformId);
      return known ? distinctName(known, executors) : platformId;
    },
    [course],
  );

/** The names of roles and channels: of those that exist by the platform, of those that are gone by the last good backup. */
export const useObjectName = () => {
  const { id, health, lastGoodBackupId } = useServer();
  const { data: guild } = useQuery({ ...guildQuery(id), enabled: health !== 'LOST', retry: false });
  const { data: backup } = useQuery({
    ...backupQuery(id, lastGoodBackupId ?? ''),
    enabled: lastGoodBackupId !== null,
  });
  const { data: contents } = useQuery({
    ...contentsQuery(backup ?? { id: '', serverId: id, checksum: null }),
    enabled: backup !== undefined,
  });
  return useMemo(() => {
    const names = new Map([
      ...namesIn(contents),
      ...[...(guild?.roles ?? []), ...(guild?.channels ?? [])].map(nameOfOne),
    ]);
    return (platformId: string): string | undefined => names.get(platformId);
  }, [guild, contents]);
};

const nameOfOne = ({ id, name }: { id: string; name: string }) => [id, name] as const;

const namesIn = (contents: BackupContents | undefined) => {
  const channels = contents?.channels.flatMap((branch) => [branch, ...branch.children]) ?? [];
  return [...channels, ...(contents?.roles ?? [])].map(
    ({ platformId, name }) => [platformId, name] as const,
  );
};

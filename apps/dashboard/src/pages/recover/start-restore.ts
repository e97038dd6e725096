import { api } from '../../api.ts';
import { restorableComponents, usualComponents } from '../../labels/backups.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { BackupRecord, RestoreRecord, RestoreRequest } from '../../queries/records.ts';

/** A repair of all that the backup has: what is there and the same stays, with its messages. */
export const recoveryRequest = (
  backup: BackupRecord,
  targetServerId: string,
  deleteExtra: boolean,
): RestoreRequest => ({
  ...{ mode: 'REPAIR', deleteExtra, targetServerId },
  components: restorableComponents(backup.components).filter((name) =>
    usualComponents.includes(name),
  ),
});

export const startRestore = (
  backup: BackupRecord,
  serverId: string,
  deleteExtra = false,
): Promise<RestoreRecord> =>
  api.restoreBackup({
    params: { id: serverId, backupId: backup.id },
    body: recoveryRequest(backup, serverId, deleteExtra),
  });

export const changedByRestore = (serverId: string) => [
  queryKeys.server(serverId),
  queryKeys.restores(serverId),
  queryKeys.recoveryPlan(serverId),
  queryKeys.guild(serverId),
  queryKeys.overview,
];

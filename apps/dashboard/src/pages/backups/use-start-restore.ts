import type { BackupComponent } from '@holdfast/contract';
import type { Output } from '@holdfast/sdk';
import { useNavigate } from 'react-router';
import { api } from '../../api.ts';
import { useAct } from '../../parts/use-act.ts';

export type RestoreWish = { components: BackupComponent[]; targetServerId: string };

/** Begins a restore and leads to where it can be followed. */
export const useStartRestore = (serverId: string, backupId: string) => {
  const navigate = useNavigate();
  return useAct<RestoreWish, Output<'restoreBackup'>>(
    (body) => api.restoreBackup({ params: { id: serverId, backupId }, body }),
    {
      done: 'The restore has begun.',
      touches: [['restores']],
      onDone: (restore) => navigate(`/servers/${restore.serverId}/restores/${restore.id}`),
      isQuietOnError: true,
    },
  );
};

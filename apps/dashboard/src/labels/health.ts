import type { Health } from '@holdfast/contract';
import type { Server } from '../queries/records.ts';

export const healthLabels: Record<Health, { label: string; color: string }> = {
  GOOD: { label: 'good', color: 'green' },
  CHANGED: { label: 'changed', color: 'yellow' },
  DAMAGED: { label: 'damaged', color: 'red' },
  LOST: { label: 'lost', color: 'red' },
  UNKNOWN: { label: 'not known', color: 'gray' },
};

type Judged = Pick<Server, 'id' | 'health' | 'healthReasons' | 'lastGoodBackupId'>;

/** The one step that helps; undefined where nothing has to be done. */
export const remedyOf = (server: Judged): { to: string; action: string } | undefined => {
  const { id, health, healthReasons, lastGoodBackupId } = server;
  const backups = `/servers/${id}/backups`;
  if (health === 'LOST') {
    return { to: `/servers/${id}/settings#move`, action: 'Move to another server' };
  }
  if (health === 'DAMAGED') {
    return lastGoodBackupId === null
      ? { to: backups, action: 'Choose a backup' }
      : { to: `${backups}/${lastGoodBackupId}`, action: 'Restore the last good backup' };
  }
  if (health === 'CHANGED') return { to: `/servers/${id}/settings`, action: 'Open the settings' };
  if (healthReasons.some(({ code }) => code === 'NOT_CONNECTED')) {
    return { to: '/bots', action: 'Look at the bot' };
  }
  return healthReasons.some(({ code }) => code === 'NO_GOOD_BACKUP')
    ? { to: backups, action: 'Back it up' }
    : undefined;
};

import type { Health } from '@holdfast/contract';
import type { Server } from '../queries/records.ts';

export const healthLabels: Record<Health, { label: string; color: string }> = {
  GOOD: { label: 'good', color: 'green' },
  CHANGED: { label: 'changed', color: 'yellow' },
  DAMAGED: { label: 'damaged', color: 'red' },
  LOST: { label: 'lost', color: 'red' },
  UNKNOWN: { label: 'not known', color: 'gray' },
};

type Judged = Pick<Server, 'id' | 'health' | 'healthReasons'>;

/** Much of it is gone, or all of it. */
export const isBroken = ({ health }: Pick<Server, 'health'>): boolean =>
  health === 'DAMAGED' || health === 'LOST';

/** The one step that helps; undefined where nothing has to be done. */
export const remedyOf = (server: Judged): { to: string; action: string } | undefined => {
  const { id, health, healthReasons } = server;
  const backups = `/servers/${id}/backups`;
  if (isBroken(server)) return { to: `/servers/${id}/recover`, action: 'Recover' };
  if (health === 'CHANGED') return { to: `/servers/${id}/settings`, action: 'Open the settings' };
  if (healthReasons.some(({ code }) => code === 'NOT_CONNECTED')) {
    return { to: '/bots', action: 'Look at the bot' };
  }
  return healthReasons.some(({ code }) => code === 'NO_GOOD_BACKUP')
    ? { to: backups, action: 'Back it up' }
    : undefined;
};

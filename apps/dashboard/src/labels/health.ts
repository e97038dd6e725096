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
  if (health === 'CHANGED') return changedRemedy(server);
  if (healthReasons.some(({ code }) => code === 'NOT_CONNECTED')) {
    return { to: '/bots', action: 'Look at the bot' };
  }
  return healthReasons.some(({ code }) => code === 'NO_GOOD_BACKUP')
    ? { to: backups, action: 'Back it up' }
    : undefined;
};

/** Where the thing that is gone is chosen again. */
const changedRemedy = ({ id, healthReasons }: Judged): { to: string; action: string } => {
  const isGone = (code: Judged['healthReasons'][number]['code']) =>
    healthReasons.some((reason) => reason.code === code);
  const settings = `/servers/${id}/settings`;
  if (isGone('VERIFIED_ROLE_MISSING')) return { to: `${settings}#role`, action: 'Choose a role' };
  if (isGone('LOG_CHANNEL_MISSING')) {
    return { to: `${settings}#reports`, action: 'Choose a channel' };
  }
  return isGone('PANEL_CHANNEL_MISSING')
    ? { to: `/servers/${id}/panels`, action: 'Open the panels' }
    : { to: settings, action: 'Open the settings' };
};

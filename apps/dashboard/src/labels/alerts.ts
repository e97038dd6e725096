import type { AlertKind, AlertWay } from '@holdfast/contract';
import { formatCount } from './format.ts';

type Tone = 'danger' | 'warning' | 'info' | 'success';
type AlertLabel = { label: string; description: string; tone: Tone };

/** In the order of the settings. The compiler asks for a label of every kind of the contract. */
export const alertLabels: Record<AlertKind, AlertLabel> = {
  SERVER_DAMAGED: {
    ...{ label: 'Server damaged', tone: 'danger' },
    description: 'Many channels or roles of the last good backup are gone.',
  },
  SERVER_LOST: {
    ...{ label: 'Server lost', tone: 'danger' },
    description: 'The bot was removed, or the server was deleted.',
  },
  INCIDENT: {
    ...{ label: 'Attack', tone: 'danger' },
    description: 'Somebody destroys a server, or a raid has begun.',
  },
  BOT_REFUSED: {
    ...{ label: 'Bot rejected by the platform', tone: 'danger' },
    description: 'The platform does not accept a bot any more.',
  },
  BACKUP_FAILED: {
    ...{ label: 'Backup failed', tone: 'danger' },
    description: 'A backup could not be made.',
  },
  BACKUP_UNPROVED: {
    ...{ label: 'Test restore failed', tone: 'warning' },
    description: 'A backup would not bring everything back.',
  },
  TOKENS_FALLING: {
    ...{ label: 'Fewer members to bring back', tone: 'warning' },
    description: 'Many members revoked their tokens at the platform.',
  },
  PAYMENT_FAILED: {
    ...{ label: 'Payment failed', tone: 'danger' },
    description: 'A payment did not go through, or was not what was asked for.',
  },
  PULL_ENDED: {
    ...{ label: 'Members brought back', tone: 'info' },
    description: 'Bringing members back is finished, or it failed.',
  },
  RESTORE_ENDED: {
    ...{ label: 'Restore ended', tone: 'info' },
    description: 'A restore is completed, or failed.',
  },
  APPEAL_OPENED: {
    ...{ label: 'Appeal', tone: 'warning' },
    description: 'Somebody who was blocked asks to be let in.',
  },
  ORDER_SOLD: {
    ...{ label: 'Sale', tone: 'success' },
    description: 'Somebody paid for a listing of yours.',
  },
};

export const wayLabels: Record<AlertWay, string> = {
  email: 'E-mail',
  channel: 'Log channel',
  dashboard: 'Dashboard',
};

const kindsWithoutServer: AlertKind[] = ['BOT_REFUSED', 'PAYMENT_FAILED', 'ORDER_SOLD'];

/** Whether it can be told in a log channel: only a server has one. */
export const hasChannel = (kind: AlertKind): boolean => !kindsWithoutServer.includes(kind);

export const noLogChannelTitle = (servers: number): string =>
  servers === 1
    ? 'One server has no log channel'
    : `${formatCount(servers)} servers have no log channel`;

/** The router's address of the page that an alert leads to. */
export const pathOfAlert = (href: string): string =>
  href.replace(/^\/dashboard(?=\/|$)/, '') || '/';

/** On the bell. The service counts up to a hundred. */
export const formatUnread = (unread: number): string => (unread > 99 ? '99+' : String(unread));

import { z } from 'zod';
import { atLeastOneOf, paginationQuery, timestamp, uuid } from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { type Conditions, switchedOff } from './fresh-second-factor.ts';

/** What an account is alerted of. */
export const alertKinds = [
  'SERVER_DAMAGED',
  'SERVER_LOST',
  'BACKUP_FAILED',
  'BACKUP_UNPROVED',
  'BOT_REFUSED',
  'TOKENS_FALLING',
  'PULL_ENDED',
  'RESTORE_ENDED',
  'PAYMENT_FAILED',
  'APPEAL_OPENED',
  'ORDER_SOLD',
  'INCIDENT',
] as const;
export type AlertKind = (typeof alertKinds)[number];

const alertWays = z
  .object({
    email: z.boolean().describe("By mail to the account's address."),
    channel: z.boolean().describe("As a message in the log channel of the alert's server."),
    dashboard: z.boolean().describe('In the list of alerts, which the dashboard shows.'),
  })
  .meta({ id: 'AlertWays' });
export type AlertWays = z.output<typeof alertWays>;
export type AlertWay = keyof AlertWays;
export type AlertSettings = Record<AlertKind, AlertWays>;

const everyWay: AlertWays = { email: true, channel: true, dashboard: true };
const byMail: AlertWays = { ...everyWay, channel: false };
const listed: AlertWays = { ...byMail, email: false };

/** What holds for a kind until the account chooses otherwise. */
export const defaultAlertSettings: AlertSettings = {
  SERVER_DAMAGED: everyWay,
  SERVER_LOST: everyWay,
  BACKUP_FAILED: byMail,
  BACKUP_UNPROVED: byMail,
  BOT_REFUSED: everyWay,
  TOKENS_FALLING: byMail,
  PULL_ENDED: listed,
  RESTORE_ENDED: listed,
  PAYMENT_FAILED: byMail,
  APPEAL_OPENED: listed,
  ORDER_SOLD: listed,
  INCIDENT: everyWay,
};

// `fromEntries` forgets the names.
const shapeOfSettings = Object.fromEntries(alertKinds.map((kind) => [kind, alertWays])) as Record<
  AlertKind,
  typeof alertWays
>;

const alertSettings = z
  .object(shapeOfSettings)
  .meta({ id: 'AlertSettings', example: defaultAlertSettings });

const alertSettingsChanges = atLeastOneOf(z.object(shapeOfSettings)).meta({
  id: 'AlertSettingsChanges',
  example: { BACKUP_FAILED: everyWay },
});

const silencing: Conditions = Object.fromEntries(alertKinds.map((kind) => [kind, switchedOff]));

export const alert = z
  .object({
    id: uuid,
    serverId: uuid.nullable().describe('Null for what concerns the account, a bot or an order.'),
    kind: z.enum(alertKinds).meta({ example: 'BACKUP_FAILED' }),
    title: z.string().meta({ example: 'A backup of Harbour failed' }),
    detail: z.string().meta({ example: 'The platform did not answer: try again later.' }),
    href: z.string().meta({
      description: 'The page of the dashboard that helps, relative to the address of the service.',
      example: '/dashboard/servers/0191d3a0-5b7e-7c3a-9b1e-d77db181ded2/backups',
    }),
    readAt: timestamp.nullable().meta({ example: null }),
    createdAt: timestamp,
  })
  .meta({ id: 'Alert' });

export const alertEndpoints = endpointsOf('Alerts', {
  listAlerts: {
    method: 'GET',
    path: '/alerts',
    summary: 'List alerts',
    description:
      'Newest first. It has the alerts whose kind was set to `dashboard` when they were raised, and keeps them for 90 days.',
    scope: 'alerts:read',
    query: paginationQuery,
    data: alert,
    paginated: true,
    mayReadStandby: true,
  },

  readAlerts: {
    method: 'POST',
    path: '/alerts/read',
    summary: 'Mark alerts as read',
    unaudited: 'It changes what was read, not what is so.',
    description: 'Marks the named alert and all older ones.',
    scope: 'alerts:write',
    freshSecondFactor: 'never',
    body: z.object({ upTo: uuid.describe('The newest alert that was read.') }),
    data: z.object({
      read: z.int().min(0).meta({ description: 'How many were unread before.', example: 3 }),
    }),
    refusals: { 404: 'No such alert.' },
  },

  getAlertSettings: {
    method: 'GET',
    path: '/alerts/settings',
    summary: 'Read which alerts go where',
    scope: 'alerts:read',
    data: alertSettings,
  },

  updateAlertSettings: {
    method: 'PUT',
    path: '/alerts/settings',
    summary: 'Choose which alerts go where',
    description:
      'Kinds that are not named stay as they are; a kind that is named is replaced as a whole.',
    scope: 'alerts:write',
    // A stolen session could hide what it does.
    freshSecondFactor: { whenChanges: silencing },
    body: alertSettingsChanges,
    data: alertSettings,
  },
});

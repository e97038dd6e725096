import type { AlertKind, AlertSettings, AlertWay } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { accounts } from '../accounts/table.ts';
import type { AlertFacts } from './rules.ts';

const ofAccount = () => partOf(() => accounts.id);

export const alerts = pgTable(
  'alerts',
  {
    id: uuid().primaryKey(),
    accountId: ofAccount().notNull(),
    /** No foreign key: servers are a higher layer, whose purge deletes their alerts. */
    serverId: uuid(),
    kind: text().$type<AlertKind>().notNull(),
    /** Codes, ids and numbers, from which the sentences are made when somebody reads them. */
    facts: json<AlertFacts>().notNull(),
    /** Whether the list of alerts has it, by the account's settings when it was raised. */
    isListed: boolean().notNull(),
    /** Until a mail, or a message in the log channel, stands for it. */
    isMailWaiting: boolean().notNull(),
    isPostWaiting: boolean().notNull(),
    /** Sent although the account has switched its kind off meanwhile. */
    isAlwaysTold: boolean().notNull().default(false),
    readAt: moment(),
    createdAt: moment().notNull(),
  },
  (alert) => [
    index('alerts_of_account').on(alert.accountId, alert.createdAt, alert.id),
    index('alerts_unread')
      .on(alert.accountId, alert.createdAt, alert.id)
      .where(sql`is_listed and read_at is null`),
    index('alerts_waiting')
      .on(alert.accountId, alert.kind)
      .where(sql`is_mail_waiting or is_post_waiting`),
    index('alerts_of_server').on(alert.serverId),
    index('alerts_by_age').on(alert.createdAt),
  ],
);

/** What an account chose; a kind that is not here has its default. */
export const alertSettings = pgTable('alert_settings', {
  accountId: ofAccount().primaryKey(),
  settings: json<Partial<AlertSettings>>().notNull(),
  updatedAt: moment().notNull().defaultNow(),
});

export type MessageWay = Exclude<AlertWay, 'dashboard'>;

/** Mails and posts about alerts. One stands for all alerts of its kind and server that waited. */
export const alertMessages = pgTable(
  'alert_messages',
  {
    id: uuid().primaryKey(),
    accountId: ofAccount().notNull(),
    serverId: uuid(),
    kind: text().$type<AlertKind>().notNull(),
    way: text().$type<MessageWay>().notNull(),
    /** The newest of the alerts it stands for. */
    alertId: partOf(() => alerts.id).notNull(),
    alertCount: integer().notNull(),
    /** Whether a job will look for alerts that came after it, once another message may be sent. */
    isFollowed: boolean().notNull().default(false),
    /** When it was last tried to send it. */
    triedAt: moment(),
    /** Also set where there was nobody to send it to. */
    sentAt: moment(),
    createdAt: moment().notNull(),
  },
  (message) => [
    index('alert_messages_of_kind').on(
      message.accountId,
      message.kind,
      message.way,
      message.createdAt,
    ),
    index('alert_messages_alert').on(message.alertId),
  ],
);

import type { PanelStatus } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment, partOf } from '../../db/table-columns.ts';
import { servers } from '../servers/table.ts';

export const panels = pgTable(
  'panels',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: partOf(() => servers.id).notNull(),
    channelId: text().notNull(),
    title: text().notNull(),
    text: text().notNull(),
    color: integer().notNull(),
    buttonText: text().notNull(),
    status: text().$type<PanelStatus>().notNull().default('MISSING'),
    error: text(),
    /** The message, and the channel that it is in, which the panel may have left since. */
    messageId: text(),
    messageChannelId: text(),
    /** A message that was replaced, and has to be removed. */
    staleMessageId: text(),
    staleChannelId: text(),
    /** By which the platform knows a repeated post; another one for each message. */
    postId: uuid().notNull(),
    /** Set while it is not known whether a post has reached the platform. */
    attemptedAt: moment(),
    attemptChannelId: text(),
    /** The job has to post or edit the message. */
    isDue: boolean().notNull().default(true),
    /** Grows with every change, so that a change during a post is not taken for posted. */
    revision: integer().notNull().default(1),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
    /** Invisible; the job removes the message and then the row. */
    deletedAt: moment(),
  },
  (panel) => [
    index('panels_of_server').on(panel.serverId, panel.createdAt, panel.id),
    index('panels_due')
      .on(panel.serverId)
      .where(sql`is_due or deleted_at is not null or stale_message_id is not null`),
  ],
);

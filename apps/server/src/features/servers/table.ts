import type { captchaTypes } from '@holdfast/contract';
import { isNotNull, isNull } from 'drizzle-orm';
import { boolean, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { json, moment } from '../../db/table-columns.ts';
import { accounts } from '../accounts/table.ts';
import { bots } from '../bots/table.ts';

export const servers = pgTable(
  'servers',
  {
    id: uuid().primaryKey(),
    accountId: uuid()
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** Null only where the server is deleted, so that its bot can be deleted too. */
    customBotId: uuid().references(() => bots.id),
    platformGuildId: text().notNull(),
    name: text().notNull(),
    iconUrl: text(),
    memberCount: integer().notNull().default(0),
    verifiedRoleId: text(),
    logChannelId: text(),
    captchaType: text().$type<(typeof captchaTypes)[number]>().notNull().default('POW'),
    vpnBlockEnabled: boolean().notNull().default(false),
    altDetectEnabled: boolean().notNull().default(false),
    firewallEnabled: boolean().notNull().default(false),
    antiNukeEnabled: boolean().notNull().default(false),
    antiRaidEnabled: boolean().notNull().default(false),
    minAccountAgeDays: integer().notNull().default(0),
    backupSchedule: json<{ everyHours: number }>(),
    retention: json<{ daily: number; weekly: number; monthly: number }>()
      .notNull()
      .default({ daily: 7, weekly: 4, monthly: 3 }),
    /** When icon and member count were last read. */
    refreshedAt: moment(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
    /** Set where the server is deleted: invisible, while its rows are purged. */
    deletedAt: moment(),
  },
  (server) => [
    uniqueIndex('servers_guild_of_account')
      .on(server.accountId, server.platformGuildId)
      .where(isNull(server.deletedAt)),
    index('servers_of_account')
      .on(server.accountId, server.createdAt, server.id)
      .where(isNull(server.deletedAt)),
    index('servers_to_refresh').on(server.refreshedAt.nullsFirst()).where(isNull(server.deletedAt)),
    index('servers_user').on(server.accountId),
    index('servers_bot').on(server.customBotId),
    index('servers_deleted').on(server.deletedAt).where(isNotNull(server.deletedAt)),
  ],
);

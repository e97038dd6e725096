import type { captchaTypes, Health } from '@holdfast/contract';
import { isNotNull, isNull, sql } from 'drizzle-orm';
import {
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { accounts } from '../accounts/table.ts';
import { bots } from '../bots/table.ts';
import type { HealthReason } from './health/describe-health.ts';

/**
 * Not before then the next scheduled backup is due; null where none is. By the schedule as it stands: whoever changes
 * it need not know of this. In UTC, since an index takes no arithmetic that depends on a time zone. Its index is not
 * partial: PostgreSQL would not estimate by it how few are due.
 */
export const backupDueAt = sql<string>`(case when deleted_at is null then coalesce(last_scheduled_at at time zone 'UTC', '-infinity'::timestamp) + make_interval(hours => (backup_schedule ->> 'everyHours')::int) end)`;

export const hasBackupSchedule = sql`backup_schedule is not null and deleted_at is null`;

export const hasWithheldRoles = sql`withheld_roles <> '{}'::jsonb and deleted_at is null`;

export const servers = pgTable(
  'servers',
  {
    id: uuid().primaryKey(),
    accountId: partOf(() => accounts.id).notNull(),
    /** Null only where the server is deleted, so that its bot can be deleted too. */
    customBotId: uuid().references(() => bots.id),
    platformGuildId: text().notNull(),
    /** Since when it has this guild; null from its beginning on. */
    guildSince: moment(),
    /** The same of its bot. */
    botSince: moment(),
    name: text().notNull(),
    iconUrl: text(),
    memberCount: integer().notNull().default(0),
    verifiedRoleId: text(),
    logChannelId: text(),
    /** The verified role whose power a person confirmed, with the bits of that power. */
    confirmedRole: json<{ roleId: string; power: string }>(),
    /** Roles that are given to nobody because of their power, with its bits: told once. */
    withheldRoles: json<Record<string, string>>().notNull().default({}),
    /**
     * The verified role or log channel that was seen to be gone. It is an alarm only while the server
     * still points at it.
     */
    missingRoleId: text(),
    missingChannelId: text(),
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
    /**
     * When the last scheduled backup was created: never later than that, and null where it must be looked up. The
     * release before writes nothing here.
     */
    lastScheduledAt: moment(),
    restoreRolesOnRejoin: boolean().notNull().default(true),
    /** As last known; it is shown only while the bot is connected. */
    health: text().$type<Health>().notNull().default('UNKNOWN'),
    healthReasons: json<HealthReason[]>()
      .notNull()
      .default([{ code: 'NO_GOOD_BACKUP' }]),
    lastGoodBackupId: uuid(),
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
    index('servers_of_guild').on(server.platformGuildId).where(isNull(server.deletedAt)),
    index('servers_user').on(server.accountId),
    index('servers_bot').on(server.customBotId),
    index('servers_deleted').on(server.deletedAt).where(isNotNull(server.deletedAt)),
    index('servers_that_withhold').on(server.id).where(hasWithheldRoles).concurrently(),
    index('servers_to_back_up').on(backupDueAt, server.id).concurrently(),
    index('servers_last_scheduled')
      .on(server.lastScheduledAt)
      .where(hasBackupSchedule)
      .concurrently(),
  ],
);

/** The sorts of things of a guild that a restore gives new ids to. */
export const restoredSorts = [
  'roles',
  'channels',
  'emojis',
  'stickers',
  'automod',
  'events',
  'soundboard',
  'webhooks',
] as const;
export type RestoredSort = (typeof restoredSorts)[number];

/**
 * Which id a thing was given by a restore: `newId` in the target stands for `oldId` of the backup. Later
 * restores and pulls find by it what an older backup calls by an id that is gone.
 */
export const restoredIds = pgTable(
  'restored_ids',
  {
    accountId: uuid().notNull(),
    sort: text().$type<RestoredSort>().notNull(),
    oldId: text().notNull(),
    newId: text().notNull(),
    /** The server that was restored into, and its guild at that time. */
    serverId: partOf(() => servers.id).notNull(),
    guildId: text().notNull(),
    restoreId: uuid().notNull(),
    /** False where the thing was there before, and was taken for the backup's. */
    isCreated: boolean().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (restored) => [
    primaryKey({
      columns: [restored.accountId, restored.sort, restored.oldId, restored.newId],
    }),
    index('restored_ids_by_new_id').on(restored.accountId, restored.sort, restored.newId),
    index('restored_ids_of_server').on(restored.serverId, restored.createdAt),
    index('restored_ids_of_restore').on(restored.restoreId),
  ],
);

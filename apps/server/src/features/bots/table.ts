import type { activityTypes, botStatuses, PrivilegedIntent } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { boolean, index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { accounts } from '../accounts/table.ts';

/** Intents that are not switched on, or more guilds than one connection may have. */
export type GatewayRefusal = 'INTENTS' | 'SIZE';

export const bots = pgTable(
  'bots',
  {
    id: uuid().primaryKey(),
    accountId: partOf(() => accounts.id).notNull(),
    clientId: text().notNull(),
    name: text().notNull(),
    avatarUrl: text(),
    status: text().$type<(typeof botStatuses)[number]>().notNull().default('ONLINE'),
    activityType: text().$type<(typeof activityTypes)[number]>().notNull().default('WATCHING'),
    activityText: text().notNull().default(''),
    isActive: boolean().notNull().default(true),
    publicKey: text().notNull(),
    redirectUri: text().notNull(),
    /** Sealed; see kernel/seal. */
    botToken: text().notNull(),
    clientSecret: text().notNull(),
    /** Who the platform says its token is; null until it has said so. */
    userId: text(),
    /** Since when it has its token and its client id; null from its beginning on. */
    identitySince: moment(),
    /** The master key under which both are sealed. */
    sealKeyId: text().notNull(),
    /** When the token was last checked, and since when the platform refuses it. */
    checkedAt: moment(),
    refusedAt: moment(),
    /** Since when the platform refuses the client id or secret; they are not sent until they change. */
    secretRefusedAt: moment(),
    /** The privileged intents of its application, as last read; null until then. */
    intents: json<PrivilegedIntent[]>(),
    /** Since when it is connected to the gateway; null while it is not. */
    connectedAt: moment(),
    /** Why the gateway refuses it; it is not connected again until its owner changes something. */
    gatewayRefusal: text().$type<GatewayRefusal>(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (bot) => [
    unique('bots_client_id_of_account').on(bot.accountId, bot.clientId),
    index('bots_of_account').on(bot.accountId, bot.createdAt, bot.id),
    index('bots_changed').on(bot.updatedAt),
    index('bots_seal_key').on(bot.sealKeyId),
    index('bots_to_check').on(bot.checkedAt.nullsFirst()).where(sql`is_active`),
  ],
);

/** Guilds that the platform would lately not show to a bot: it is not in them, or there is none. */
export const refusedGuilds = pgTable(
  'refused_guilds',
  {
    botId: partOf(() => bots.id).notNull(),
    guildId: text().notNull(),
    accountId: uuid().notNull(),
    kind: text().$type<'noAccess' | 'unknownGuild'>().notNull(),
    /** The key or session that named the guild; null where nobody waited for the answer. */
    callerId: text(),
    at: moment().notNull().defaultNow(),
  },
  (refused) => [
    primaryKey({ columns: [refused.botId, refused.guildId] }),
    index('refused_guilds_of_account').on(refused.accountId, refused.at),
  ],
);

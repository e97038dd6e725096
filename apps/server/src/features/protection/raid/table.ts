import type { NewcomerCode, NewcomerStatus, WaveDecision } from '@holdfast/contract';
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
import { moment, partOf } from '../../../db/table-columns.ts';
import { servers } from '../../servers/table.ts';
import { incidents } from '../table.ts';

/** A wave of newcomers: what its incident is about, and what the owner decided. */
export const raidWaves = pgTable(
  'raid_waves',
  {
    incidentId: partOf(() => incidents.id).primaryKey(),
    accountId: uuid().notNull(),
    serverId: partOf(() => servers.id).notNull(),
    guildId: text().notNull(),
    /** As it was set when the wave began. */
    minAccountAgeDays: integer().notNull(),
    startedAt: moment().notNull(),
    /** When the last young account joined. */
    lastJoinAt: moment().notNull(),
    /** Joins of young accounts. */
    joins: integer().notNull(),
    /** Everybody who was looked at; those above a limit are not listed. */
    newcomers: integer().notNull(),
    overAt: moment(),
    decision: text().$type<WaveDecision>(),
    decidedAt: moment(),
  },
  (wave) => [
    uniqueIndex('raid_waves_live_on_server').on(wave.serverId).where(isNull(wave.overAt)),
    index('raid_waves_live').on(wave.lastJoinAt).where(isNull(wave.overAt)),
    index('raid_waves_of_server').on(wave.serverId),
  ],
);

/**
 * People who joined a server of late. Those who belong to no wave are deleted when their window is over,
 * those of a wave some time after its incident has ended.
 */
export const raidNewcomers = pgTable(
  'raid_newcomers',
  {
    serverId: partOf(() => servers.id).notNull(),
    platformId: text().notNull(),
    accountId: uuid().notNull(),
    incidentId: uuid().references(() => raidWaves.incidentId, { onDelete: 'cascade' }),
    username: text().notNull(),
    joinedAt: moment().notNull(),
    isYoung: boolean().notNull(),
    hasPicture: boolean().notNull(),
    /** By which names are compared. */
    nameKey: text().notNull(),
    isAlike: boolean().notNull().default(false),
    score: integer().notNull(),
    status: text().$type<NewcomerStatus>().notNull(),
    /** Why they were spared, or could not be removed. */
    code: text().$type<NewcomerCode>(),
  },
  (newcomer) => [
    primaryKey({ columns: [newcomer.serverId, newcomer.platformId] }),
    index('raid_newcomers_recent')
      .on(newcomer.serverId, newcomer.joinedAt)
      .where(isNull(newcomer.incidentId)),
    index('raid_newcomers_of_wave')
      .on(newcomer.incidentId, newcomer.status, newcomer.platformId)
      .where(isNotNull(newcomer.incidentId)),
    index('raid_newcomers_names')
      .on(newcomer.incidentId, newcomer.nameKey, newcomer.isAlike)
      .where(isNotNull(newcomer.incidentId)),
    index('raid_newcomers_of_person').on(newcomer.platformId),
    // Those who were erased while they waited for a decision have no name any more.
    index('raid_newcomers_erased').on(newcomer.status).where(sql`name_key = ''`),
    index('raid_newcomers_to_forget').on(newcomer.joinedAt).where(isNull(newcomer.incidentId)),
  ],
);

import type {
  IncidentKind,
  IncidentStatus,
  NotStoppedCode,
  RaidThreshold,
  Threshold,
  ThresholdKind,
} from '@holdfast/contract';
import { sql } from 'drizzle-orm';
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
import type { AuditLogEntry } from '../../platform/gateway/events.ts';
import { backups } from '../backups/table.ts';
import { servers } from '../servers/table.ts';
import type { PendingWeakening, TrustedPerson } from './rules.ts';
import type { ActKind } from './watch/kinds.ts';

const ofServer = () => partOf(() => servers.id);

/** Only what the owner chose; the two switches are the server's own. A server without a row has the defaults. */
export const protectionSettings = pgTable('protection_settings', {
  serverId: ofServer().primaryKey(),
  accountId: uuid().notNull(),
  thresholds: json<Partial<Record<ThresholdKind, Threshold>>>().notNull().default({}),
  raid: json<Partial<RaidThreshold>>().notNull().default({}),
  autoRepair: boolean().notNull().default(false),
  trusted: json<TrustedPerson[]>().notNull().default([]),
  disableDelayMinutes: integer().notNull().default(0),
  /** Weakenings that wait, by field. */
  pending: json<PendingWeakening[]>().notNull().default([]),
  updatedAt: moment().notNull().defaultNow(),
});

/** What triggered an incident: a kind of act, and by whom; nobody alone where many did it together. */
export type IncidentTrigger = { kind: string; executorId: string | null };

/** What it is about is the incident as it was at `askedAt`. Both are ISO times of the database's clock. */
export type PendingDecision = {
  action: 'dismiss' | 'return-roles';
  at: string;
  askedAt: string;
};

export const incidents = pgTable(
  'incidents',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: ofServer().notNull(),
    guildId: text().notNull(),
    kind: text().$type<IncidentKind>().notNull(),
    status: text().$type<IncidentStatus>().notNull().default('open'),
    trigger: json<IncidentTrigger>().notNull(),
    firstActAt: moment().notNull(),
    detectedAt: moment().notNull(),
    containedAt: moment(),
    invitesPausedUntil: moment(),
    snapshotBackupId: uuid(),
    /** The last good backup that was completed before its first act: every repair is from it. */
    backupId: uuid(),
    /** The same until it cannot be repaired any more: a backup that is referred to here cannot be deleted. */
    heldBackupId: uuid().references(() => backups.id),
    repairRestoreId: uuid(),
    /** What a key has decided, until it takes effect. */
    pending: json<PendingDecision>(),
    createdAt: moment().notNull().defaultNow(),
    endedAt: moment(),
  },
  (incident) => [
    uniqueIndex('incidents_open_on_server')
      .on(incident.serverId, incident.kind)
      .where(sql`status = 'open'`),
    index('incidents_live').on(incident.accountId, incident.guildId).where(sql`ended_at is null`),
    index('incidents_of_server').on(incident.serverId, incident.createdAt, incident.id),
    index('incidents_invites_paused')
      .on(incident.invitesPausedUntil)
      .where(sql`invites_paused_until is not null`),
    index('incidents_held_backup')
      .on(incident.heldBackupId)
      .where(sql`held_backup_id is not null`)
      .concurrently(),
  ],
);

const ofIncident = () => partOf(() => incidents.id);

/** Who was given power, and who lost it: a backup may be older than that. */
const changesOfPower: readonly ActKind[] = ['dangerousGrants', 'demotions', 'ownDemotions'];

/** What need not be kept for as long as an attack may be repaired. */
export const isPassingAct = sql.raw(
  `incident_id is null and kind not in (${changesOfPower.map((kind) => `'${kind}'`).join(', ')})`,
);

/** What the audit log of a guild told of late, and for ever where it belongs to an incident. */
export const guildActs = pgTable(
  'guild_acts',
  {
    serverId: ofServer().notNull(),
    accountId: uuid().notNull(),
    guildId: text().notNull(),
    entryId: text().notNull(),
    executorId: text().notNull(),
    /** A kind of the thresholds, one that has none, or `other`. */
    kind: text().notNull(),
    /** The platform's action, such as the deletion of a channel. */
    action: text().notNull(),
    targetId: text(),
    before: json<Record<string, unknown>>(),
    after: json<Record<string, unknown>>(),
    /** What else the entry says, such as whose overwrite of a channel it was. */
    options: json<AuditLogEntry['options']>().notNull().default({}),
    /** When it was done, by its entry. */
    at: moment().notNull(),
    incidentId: ofIncident(),
  },
  (act) => [
    primaryKey({ columns: [act.serverId, act.entryId] }),
    index('guild_acts_by_time').on(act.serverId, act.at),
    index('guild_acts_of_incident').on(act.incidentId, act.at).where(sql`incident_id is not null`),
    index('guild_acts_of_executor').on(act.executorId),
    index('guild_acts_of_target').on(act.targetId),
    index('guild_acts_to_purge').on(act.at).where(sql`incident_id is null`),
    index('guild_acts_passing').on(act.at).where(isPassingAct).concurrently(),
  ],
);

/** Where channels and roles were heard to stand: moves are not in the audit log. */
export const guildMoves = pgTable(
  'guild_moves',
  {
    serverId: ofServer().notNull(),
    accountId: uuid().notNull(),
    type: text().$type<'channel' | 'role'>().notNull(),
    thingId: text().notNull(),
    parentId: text(),
    position: integer().notNull(),
    /** When it was heard: the platform tells no time. */
    at: moment().notNull(),
  },
  (move) => [
    primaryKey({ columns: [move.serverId, move.type, move.thingId, move.at] }),
    index('guild_moves_by_time').on(move.serverId, move.at),
    index('guild_moves_to_purge').on(move.at),
  ],
);

const executorStatuses = ['pending', 'stopped', 'unstoppable'] as const;

/** Why somebody could not be stopped, or, where they are not in the guild any more, did not have to be. */
export type ExecutorCode = NotStoppedCode | 'GONE';

/** How giving roles back to somebody stands. */
export type ReturnStatus = 'wanted' | 'returned' | 'left' | 'failed';

export const incidentExecutors = pgTable(
  'incident_executors',
  {
    incidentId: ofIncident().notNull(),
    platformId: text().notNull(),
    username: text().notNull(),
    isBot: boolean().notNull(),
    status: text().$type<(typeof executorStatuses)[number]>().notNull().default('pending'),
    code: text().$type<ExecutorCode>(),
    /** The roles they had, and those of them that are taken. */
    rolesBefore: json<string[]>().notNull().default([]),
    rolesTaken: json<string[]>().notNull().default([]),
    stoppedAt: moment(),
    /** What they did before it was honest work; null where that is not known. */
    actsFrom: moment(),
    returnStatus: text().$type<ReturnStatus>(),
    returnedAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (executor) => [
    primaryKey({ columns: [executor.incidentId, executor.platformId] }),
    index('incident_executors_of_person').on(executor.platformId),
  ],
);

export type StepKind =
  | 'STOP_EXECUTOR'
  | 'TAKE_OVERWRITE'
  /** A channel that does not follow its category is kept from it; `executorId` is the bot itself. */
  | 'SET_APART'
  | 'PAUSE_INVITES'
  | 'SNAPSHOT'
  | 'ALERT'
  /** The repair waits until another restore of the server has ended. */
  | 'AWAIT_RESTORE'
  | 'REPAIR'
  | 'RESUME_INVITES'
  | 'RETURN_ROLES'
  | 'RAISE_CHECKS'
  | 'HOLD_NEWCOMERS'
  | 'LOWER_CHECKS'
  | 'REMOVE_NEWCOMERS';

/** The journal of what was done about an incident: a row before each call, and its result after it. */
export const incidentSteps = pgTable(
  'incident_steps',
  {
    incidentId: ofIncident().notNull(),
    seq: integer().notNull(),
    kind: text().$type<StepKind>().notNull(),
    executorId: text(),
    status: text().$type<'begun' | 'done' | 'failed'>().notNull().default('begun'),
    detail: json<Record<string, unknown>>().notNull().default({}),
    at: moment().notNull().defaultNow(),
    endedAt: moment(),
  },
  (step) => [primaryKey({ columns: [step.incidentId, step.seq] })],
);

/** What is known of a guild whose acts are watched, as its events told it. */
export const watchedGuilds = pgTable('watched_guilds', {
  serverId: ofServer().primaryKey(),
  accountId: uuid().notNull(),
  guildId: text().notNull(),
  /** Null until it was heard or read. */
  ownerId: text(),
  /** The user of the bot `botId`: of another bot that the server has now it says nothing. */
  botUserId: text(),
  botId: uuid(),
  /** The roles that the bot has itself; null until they were heard or read. */
  botRoleIds: json<string[]>(),
  /** What could not be stopped when it was last looked at; null before that. */
  limits: json<string[]>(),
  /** The permissions of each role, by its id; null until they were heard or read. */
  roles: json<Record<string, string>>(),
  /** The newest entry of the audit log that was heard: what came after it may have been missed. */
  lastEntryId: text(),
});

/**
 * Somebody who did something that is watched, as they were before they would be stopped. It is stored
 * before their roles are taken in a hurry, so that these are known whatever happens next.
 */
export const armedExecutors = pgTable(
  'armed_executors',
  {
    serverId: ofServer().notNull(),
    accountId: uuid().notNull(),
    platformId: text().notNull(),
    username: text().notNull(),
    isBot: boolean().notNull(),
    rolesBefore: json<string[]>().notNull(),
    /** The roles that would be taken. */
    rolesToTake: json<string[]>().notNull(),
    armedAt: moment().notNull().defaultNow(),
  },
  (armed) => [
    primaryKey({ columns: [armed.serverId, armed.platformId] }),
    index('armed_executors_to_purge').on(armed.armedAt),
  ],
);

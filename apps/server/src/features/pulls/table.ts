import type { PullResult, pullStatuses } from '@holdfast/contract';
import { isNull, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { members } from '../members/table.ts';
import { servers } from '../servers/table.ts';
import type { SavedRoles, Unrestored } from './roles/map-roles.ts';

const counter = () => integer().notNull().default(0);

export const pulls = pgTable(
  'pulls',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    /** The server whose members are pulled. */
    serverId: partOf(() => servers.id).notNull(),
    /** The server that they are added to; it may be deleted before the pull. */
    targetServerId: uuid().notNull(),
    roleId: text(),
    /** The power of that role that a person confirmed for this pull, as bits. */
    confirmedPower: text().notNull().default('0'),
    /** Whether members get back the roles and the nickname of a backup. */
    restoreRoles: boolean().notNull().default(false),
    /** Roles of the backup that are given although they are dangerous. */
    allowDangerousRoles: json<string[]>().notNull().default([]),
    rolesFromBackupId: uuid(),
    /** The roles of that backup, once what it has of the members is in `pull_member_roles`. */
    savedRoles: json<SavedRoles>(),
    /** Roles that members do not get back, by the target's present state. */
    unrestored: json<Unrestored[]>().notNull().default([]),
    /** Members whose roles or nickname the platform refused. */
    rolesRefused: counter(),
    memberLimit: bigint({ mode: 'number' }),
    /** Only these members, unless null. */
    memberIds: json<string[]>(),
    status: text().$type<(typeof pullStatuses)[number]>().notNull().default('queued'),
    total: counter(),
    processed: counter(),
    joined: counter(),
    alreadyMember: counter(),
    banned: counter(),
    guildLimit: counter(),
    tokenInvalid: counter(),
    blacklisted: counter(),
    withdrawn: counter(),
    failed: counter(),
    /** What was expected when it was created: so many members, each of them taking so long. */
    expectedTotal: integer(),
    expectedSecondsPerMember: doublePrecision(),
    isCancelRequested: boolean().notNull().default(false),
    /** The last member who was selected, while the selection is not complete. */
    cursorAt: moment(),
    cursorId: uuid(),
    /** When the selection was complete. */
    selectedAt: moment(),
    firstResultAt: moment(),
    /** How many results came within a second of the first: those that a full bucket allowed at once. */
    firstBurst: counter(),
    error: text(),
    createdAt: moment().notNull().defaultNow(),
    startedAt: moment(),
    completedAt: moment(),
  },
  (pull) => [
    uniqueIndex('pulls_active_of_server')
      .on(pull.serverId)
      .where(sql`status in ('queued', 'running')`),
    index('pulls_of_server').on(pull.serverId, pull.createdAt, pull.id),
    check(
      'pulls_results_add_up',
      sql`joined + already_member + banned + guild_limit + token_invalid + blacklisted + withdrawn
        + failed = processed`,
    ),
  ],
);

/** The members a pull adds, selected at its start. An erased person's row loses its `memberId`. */
export const pullMembers = pgTable(
  'pull_members',
  {
    pullId: partOf(() => pulls.id).notNull(),
    seq: integer().notNull(),
    memberId: uuid().references(() => members.id, { onDelete: 'set null' }),
    /** Their token belongs to another bot than the target's own: they come after the others. */
    isForeign: boolean().notNull(),
    /** How often no answer came for them. */
    attempts: counter(),
    /** When the first call for them was made; its outcome is known only where there is a result. */
    begunAt: moment(),
    result: text().$type<PullResult>(),
  },
  (member) => [
    primaryKey({ columns: [member.pullId, member.seq] }),
    index('pull_members_member').on(member.memberId),
    index('pull_members_open')
      .on(member.pullId, member.attempts, member.isForeign, member.seq)
      .where(isNull(member.result)),
    index('pull_members_token_invalid')
      .on(member.pullId, member.seq)
      .where(sql`result = 'tokenInvalid'`),
  ],
);

/**
 * What the backup has of the members who are still to be pulled, by its own role ids. A row is deleted
 * with its person, and when they have a result.
 */
export const pullMemberRoles = pgTable(
  'pull_member_roles',
  {
    pullId: uuid().notNull(),
    seq: integer().notNull(),
    memberId: partOf(() => members.id).notNull(),
    nick: text(),
    roleIds: json<string[]>().notNull(),
  },
  (saved) => [
    primaryKey({ columns: [saved.pullId, saved.seq] }),
    foreignKey({
      columns: [saved.pullId, saved.seq],
      foreignColumns: [pullMembers.pullId, pullMembers.seq],
    }).onDelete('cascade'),
    index('pull_member_roles_member').on(saved.memberId),
  ],
);

/**
 * The invite for those members of a pull whose token is invalid. The row exists before the invite: who
 * claims it creates the invite, so that two requests at once make one.
 */
export const pullRecalls = pgTable(
  'pull_recalls',
  {
    id: uuid().primaryKey(),
    pullId: partOf(() => pulls.id).notNull(),
    accountId: uuid().notNull(),
    /** Until then somebody is creating or changing the invite. */
    claimedUntil: moment(),
    /** Sealed; null until the invite exists. */
    code: text(),
    sealKeyId: text(),
    guildId: text(),
    members: integer().notNull().default(0),
    /** A hash of who can use it, by their places in the pull. */
    membersHash: text(),
    expiresAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (recall) => [
    uniqueIndex('pull_recalls_pull').on(recall.pullId),
    index('pull_recalls_seal_key').on(recall.sealKeyId, recall.id),
    index('pull_recalls_expires').on(recall.expiresAt),
  ],
);

/** When a server was last pulled, for the cooldown of the account's plan. */
export const pullCooldowns = pgTable('pull_cooldowns', {
  serverId: partOf(() => servers.id).primaryKey(),
  pullId: uuid().notNull(),
  startedAt: moment().notNull(),
});

import type { PullResult, pullStatuses } from '@holdfast/contract';
import { isNull, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { json, moment } from '../../db/columns.ts';
import { members } from '../members/table.ts';
import { servers } from '../servers/table.ts';

const counter = () => integer().notNull().default(0);

export const pulls = pgTable(
  'pulls',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    /** The server whose members are called. */
    serverId: uuid()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    /** The server they are called to; it may be deleted before this. */
    targetServerId: uuid().notNull(),
    roleId: text(),
    memberLimit: bigint({ mode: 'number' }),
    /** Only these, where they are named. */
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
    isCancelRequested: boolean().notNull().default(false),
    /** The last member who was written down, while it is being settled who is called. */
    cursorAt: moment(),
    cursorId: uuid(),
    /** From here on it is settled. */
    frozenAt: moment(),
    firstResultAt: moment(),
    /** How many results came within a second of the first: what a full bucket gave at once. */
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

/** Whom a pull calls, one row each, settled at its start. Who erases themselves leaves no name in it. */
export const pullMembers = pgTable(
  'pull_members',
  {
    pullId: uuid()
      .notNull()
      .references(() => pulls.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    memberId: uuid().references(() => members.id, { onDelete: 'set null' }),
    /** Gave their token to another bot than the target's own: they come after the others. */
    isForeign: boolean().notNull(),
    /** How often nobody answered for them. */
    attempts: counter(),
    /** When the first call for them left; what came of it is known only where there is a result. */
    begunAt: moment(),
    result: text().$type<PullResult>(),
  },
  (member) => [
    primaryKey({ columns: [member.pullId, member.seq] }),
    index('pull_members_member').on(member.memberId),
    index('pull_members_open')
      .on(member.pullId, member.attempts, member.isForeign, member.seq)
      .where(isNull(member.result)),
  ],
);

/** When a server was last pulled, for the wait that the plan asks for. */
export const pullCooldowns = pgTable('pull_cooldowns', {
  serverId: uuid()
    .primaryKey()
    .references(() => servers.id, { onDelete: 'cascade' }),
  pullId: uuid().notNull(),
  startedAt: moment().notNull(),
});

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
import { json, moment } from '../../db/table-columns.ts';
import { members } from '../members/table.ts';
import { servers } from '../servers/table.ts';

const counter = () => integer().notNull().default(0);

export const pulls = pgTable(
  'pulls',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    /** The server whose members are pulled. */
    serverId: uuid()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    /** The server that they are added to; it may be deleted before the pull. */
    targetServerId: uuid().notNull(),
    roleId: text(),
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
    pullId: uuid()
      .notNull()
      .references(() => pulls.id, { onDelete: 'cascade' }),
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
  ],
);

/** When a server was last pulled, for the cooldown of the account's plan. */
export const pullCooldowns = pgTable('pull_cooldowns', {
  serverId: uuid()
    .primaryKey()
    .references(() => servers.id, { onDelete: 'cascade' }),
  pullId: uuid().notNull(),
  startedAt: moment().notNull(),
});

import type { tokenStatuses } from '@holdfast/contract';
import { isNotNull, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { servers } from '../servers/table.ts';

export const members = pgTable(
  'members',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: partOf(() => servers.id).notNull(),
    platformId: text().notNull(),
    username: text().notNull(),
    displayName: text(),
    avatarUrl: text(),
    /** Both names, case-folded by `searchTextOf`: the database's locale must not decide matches. */
    searchText: text().notNull(),
    country: text(),
    region: text(),
    asn: bigint({ mode: 'number' }),
    fingerprint: text(),
    isVpn: boolean().notNull().default(false),
    isAlt: boolean().notNull().default(false),
    /** The bot that holds their token, if they gave one. */
    botId: uuid(),
    tokenStatus: text().$type<(typeof tokenStatuses)[number]>().notNull().default('NONE'),
    consentedAt: moment(),
    blacklisted: boolean().notNull().default(false),
    pullable: boolean()
      .notNull()
      .generatedAlwaysAs(
        sql`consented_at is not null and token_status in ('VALID', 'EXPIRED') and not blacklisted`,
      ),
    accountCreatedAt: moment(),
    verifiedAt: moment().notNull().defaultNow(),
  },
  (member) => [
    unique('members_platform_id_of_server').on(member.serverId, member.platformId),
    // Has every column that a list or a search for one or two letters reads, so neither reads the rows.
    index('members_of_server').on(
      member.serverId,
      member.verifiedAt,
      member.id,
      member.pullable,
      member.searchText,
    ),
    index('members_pullable').on(member.serverId, member.pullable, member.verifiedAt, member.id),
    // For the other orders of the dashboard's list; the text is for searches that no trigram index serves.
    index('members_by_name').on(member.serverId, member.pullable, member.searchText, member.id),
    index('members_by_account').on(
      member.serverId,
      member.pullable,
      member.accountCreatedAt,
      member.id,
      member.searchText,
    ),
    index('members_token_status').on(member.serverId, member.tokenStatus),
    index('members_of_person').on(member.platformId, member.accountId),
    index('members_search').using('gin', member.serverId, member.searchText.op('gin_trgm_ops')),
  ],
);

/**
 * What is known of members in the guild: who left, who came back, and what they have there, as the gateway
 * reported it or a roll call found it. It is deleted with the member.
 */
export const seenMembers = pgTable(
  'seen_members',
  {
    memberId: partOf(() => members.id).primaryKey(),
    accountId: uuid().notNull(),
    serverId: uuid().notNull(),
    /** The server may have moved to another guild since: then they have not left that one. */
    guildId: text().notNull(),
    leftAt: moment(),
    /** Set while they are back and their roles and nickname are still to be given; `leftAt` stays until then. */
    returnedAt: moment(),
    /** Only of members who consented. Null: nothing was reported. */
    roleIds: json<string[]>(),
    nick: text(),
    rolesSeenAt: moment(),
    /** Since when they are in the guild, by the platform's clock. Only of members who consented. */
    joinedAt: moment(),
    /** The number of the server's roll call since which they were heard of: that one leaves them alone. */
    heardIn: integer().notNull().default(0),
  },
  (seen) => [
    index('seen_members_returned')
      .on(seen.serverId, seen.returnedAt)
      .where(isNotNull(seen.returnedAt)),
  ],
);

/**
 * Roll calls: the guild's members are listed page by page, because a bot that was without a session did
 * not hear who came and who left. One is wanted by every new session; while one is under way, the next
 * waits for its end.
 */
export const rollCalls = pgTable(
  'roll_calls',
  {
    serverId: partOf(() => servers.id).primaryKey(),
    accountId: uuid().notNull(),
    botId: uuid().notNull(),
    /** The server may have moved to another guild since: then it is for nothing. */
    guildId: text().notNull(),
    /** Counts those that were wanted. */
    number: integer().notNull(),
    wantedAt: moment().notNull(),
    /** The one under way, when it was wanted, and after whom its next page begins. */
    runningNumber: integer(),
    runningSince: moment(),
    afterId: text(),
    /** The last one that ended, and when the last one that came to its end in this guild was wanted. */
    endedNumber: integer().notNull().default(0),
    completedSince: moment(),
  },
  (call) => [index('roll_calls_waiting').on(call.wantedAt).where(sql`ended_number < number`)],
);

/**
 * How many members were verified on each UTC day. A trigger on `members` maintains it, so that a count
 * needs no scan, and a late page starts at its day instead of at the first row.
 */
export const memberCounts = pgTable(
  'member_counts',
  {
    serverId: partOf(() => servers.id).notNull(),
    day: date().notNull(),
    total: integer().notNull(),
    pullable: integer().notNull(),
  },
  (count) => [primaryKey({ columns: [count.serverId, count.day] })],
);

/** What the last check found about the tokens of a server's members. */
export const tokenHealth = pgTable('token_health', {
  serverId: partOf(() => servers.id).primaryKey(),
  accountId: uuid().notNull(),
  /** An alert was raised, and they have not recovered since. */
  isLow: boolean().notNull(),
  checkedAt: moment().notNull(),
});

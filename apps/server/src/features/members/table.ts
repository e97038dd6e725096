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
    index('members_token_status').on(member.serverId, member.tokenStatus),
    index('members_of_person').on(member.platformId, member.accountId),
    index('members_search').using('gin', member.serverId, member.searchText.op('gin_trgm_ops')),
  ],
);

/**
 * What the gateway reported of members: who left the guild, who came back, and what they had there. Most
 * members have no row. It is deleted with the member.
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
  },
  (seen) => [
    index('seen_members_returned')
      .on(seen.serverId, seen.returnedAt)
      .where(isNotNull(seen.returnedAt)),
  ],
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

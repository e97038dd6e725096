import type { MemberQuery } from '@holdfast/contract';
import { and, count, desc, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { containsPattern, couldBeInName, hasTrigram, searchTextOf } from './rules.ts';
import { memberCounts, members } from './table.ts';

type Server = { id: string; accountId: string };

const { id, serverId, accountId, platformId, verifiedAt, pullable } = members;

const memberFields = {
  id,
  platformId,
  username: members.username,
  displayName: members.displayName,
  avatarUrl: members.avatarUrl,
  country: members.country,
  region: members.region,
  asn: members.asn,
  fingerprint: members.fingerprint,
  isVpn: members.isVpn,
  isAlt: members.isAlt,
  tokenStatus: members.tokenStatus,
  pullable,
  consentedAt: members.consentedAt,
  accountCreatedAt: members.accountCreatedAt,
  verifiedAt,
};

const ofServer = (server: Server) => and(eq(serverId, server.id), eq(accountId, server.accountId));

/** Newest first. Both ways ask the database once for which members and how many there are. */
export const listMembers = async (db: Queryable, server: Server, query: MemberQuery) => {
  if (query.search && !couldBeInName(query.search)) return { rows: [], total: 0 };
  const { total, ids } = query.search
    ? await searchPage(db, server, { ...query, search: query.search })
    : await newestPage(db, server, query);
  if (ids.length === 0) return { rows: [], total };
  const rows = await db
    .select(memberFields)
    .from(members)
    .where(and(ofServer(server), inArray(id, ids)))
    .orderBy(desc(verifiedAt), desc(id));
  return { rows, total };
};

type Page = { total: number; ids: string[] };

const readPage = async (db: Queryable, statement: SQL): Promise<Page> => {
  const [row] = await db.execute(statement);
  return { total: Number(row?.total ?? 0), ids: row?.ids ?? [] };
};

/**
 * Walks the daily counts to the day on which the page begins, and skips only within that day:
 * the last page of a million costs what the first one does.
 */
const newestPage = (
  db: Queryable,
  server: Server,
  { page, limit, pullable: wanted }: MemberQuery,
): Promise<Page> => {
  const offset = (page - 1) * limit;
  const { total, pullable: pullableCount, day } = memberCounts;
  const counted =
    wanted === undefined ? total : wanted ? pullableCount : sql`${total} - ${pullableCount}`;
  const filter = wanted === undefined ? sql`` : sql`and ${pullable} = ${wanted}`;
  return readPage(
    db,
    sql`
    with days as (
      select ${day} as day, ${counted} as here,
        sum(${counted}) over (order by ${day} desc) - (${counted}) as later
      from ${memberCounts} where ${memberCounts.serverId} = ${server.id}
    ), start as (
      select ((day + 1)::timestamp at time zone 'UTC') as before, ${offset} - later as skip
      from days where later + here > ${offset} order by day desc limit 1
    ), found as (
      select ${id} as id from ${members}
      where ${serverId} = ${server.id} ${filter} and ${verifiedAt} < (select before from start)
      order by ${verifiedAt} desc, ${id} desc
      limit ${limit} offset (select skip from start)
    )
    select (select coalesce(sum(here), 0) from days) as total,
      (select coalesce(array_agg(id::text), '{}') from found) as ids`,
  );
};

/**
 * LIKE finds the same under every collation, but an index serves only its own. Without this, a plan that
 * is kept for every pattern would use the trigram index, and for a short pattern walk through all of it.
 */
const unindexedText = sql`${members.searchText} collate "C"`;

type Search = MemberQuery & { search: string };

const searchPage = (db: Queryable, server: Server, query: Search): Promise<Page> => {
  const { page, limit, search, pullable: wanted } = query;
  const filter = wanted === undefined ? sql`` : sql`and ${pullable} = ${wanted}`;
  const isIndexed = hasTrigram(search);
  const inName = sql`${isIndexed ? members.searchText : unindexedText} like ${containsPattern(search)}`;
  const isMatch = /^\d+$/.test(search) ? sql`(${platformId} = ${search} or ${inName})` : inName;
  const matching = sql`from ${members} where ${serverId} = ${server.id} ${filter} and ${isMatch}`;
  const part = { limit, offset: (page - 1) * limit };
  return readPage(db, isIndexed ? pageByIndex(matching, part) : pageByScan(matching, part));
};

type Part = { limit: number; offset: number };

/** Finds all matches by the trigram index before it sorts: however rare they are, no list is walked. */
const pageByIndex = (matching: SQL, { limit, offset }: Part): SQL => sql`
  with matching as materialized (select ${id} as id, ${verifiedAt} as at ${matching}),
  found as (select id from matching order by at desc, id desc limit ${limit} offset ${offset})
  select (select count(*) from matching) as total,
    (select coalesce(array_agg(id::text), '{}') from found) as ids`;

/**
 * Text too short for that index: all names are read once to count, and again from the newest on until
 * the page is full. A page that the count shows to be empty is not looked for.
 */
const pageByScan = (matching: SQL, { limit, offset }: Part): SQL => sql`
  with counted as materialized (select count(*) as total ${matching}),
  found as (
    select ${id} as id ${matching} and (select total from counted) > ${offset}
    order by ${verifiedAt} desc, ${id} desc limit ${limit} offset ${offset}
  )
  select (select total from counted) as total,
    (select coalesce(array_agg(id::text), '{}') from found) as ids`;

export const countMembers = async (db: Queryable, server: Server) => {
  const [counted] = await db
    .select({
      members: sql<number>`coalesce(sum(${memberCounts.total}), 0)`.mapWith(Number),
      pullableMembers: sql<number>`coalesce(sum(${memberCounts.pullable}), 0)`.mapWith(Number),
    })
    .from(memberCounts)
    .where(eq(memberCounts.serverId, server.id));
  return counted ?? { members: 0, pullableMembers: 0 };
};

/** How the tokens of a server's members stand; those who gave none are not counted. */
export const countTokens = async (db: Queryable, server: Server) => {
  const rows = await db
    .select({ status: members.tokenStatus, total: count() })
    .from(members)
    .where(ofServer(server))
    .groupBy(members.tokenStatus);
  const totalOf = (wanted: string) => rows.find(({ status }) => status === wanted)?.total ?? 0;
  return { valid: totalOf('VALID'), expired: totalOf('EXPIRED'), revoked: totalOf('REVOKED') };
};

/** A person's rows on all servers of the account, when they come onto its blacklist or leave it. */
export const markMembers = async (
  tx: Transaction,
  person: { accountId: string; platformId: string },
  blacklisted: boolean,
): Promise<void> => {
  await tx
    .update(members)
    .set({ blacklisted })
    .where(and(eq(accountId, person.accountId), eq(platformId, person.platformId)));
};

type VerifiedMember = Omit<typeof members.$inferInsert, 'searchText' | 'verifiedAt'>;

/**
 * Somebody who was just verified: a new row, or the one they have, brought up to date. Who agreed
 * before and agrees again keeps the date of the first time.
 */
export const putVerifiedMember = async (tx: Transaction, row: VerifiedMember): Promise<string> => {
  const searchText = searchTextOf(row.username, row.displayName ?? null);
  const { id: _id, serverId: _server, accountId: _user, platformId: _person, ...changes } = row;
  const [member] = await tx
    .insert(members)
    .values({ ...row, searchText })
    .onConflictDoUpdate({
      target: [serverId, platformId],
      set: {
        ...changes,
        searchText,
        consentedAt: sql`case when excluded.consented_at is not null
          then coalesce(${members.consentedAt}, excluded.consented_at) end`,
        verifiedAt: sql`now()`,
      },
      setWhere: eq(accountId, row.accountId),
    })
    .returning({ id });
  if (!member) throw new Error('The member could not be stored');
  return member.id;
};

/** Whether on any server of the account they agreed to be brought back through this bot. */
export const hasConsent = async (
  db: Queryable,
  person: { accountId: string; platformId: string; botId: string },
): Promise<boolean> => {
  const found = await db
    .select({ id })
    .from(members)
    .where(
      and(
        eq(accountId, person.accountId),
        eq(platformId, person.platformId),
        eq(members.botId, person.botId),
        isNotNull(members.consentedAt),
      ),
    )
    .limit(1);
  return found.length > 0;
};

/** For a server marked deleted: no owner to ask for any more. */
export const purgeMembers = async (
  db: Queryable,
  deletedServerId: string,
  most: number,
): Promise<number> => {
  const some = db.select({ id }).from(members).where(eq(serverId, deletedServerId)).limit(most);
  const gone = await db.delete(members).where(inArray(id, some)).returning({ id });
  return gone.length;
};

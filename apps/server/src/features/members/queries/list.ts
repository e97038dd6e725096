import type { MemberQuery, MemberSort } from '@holdfast/contract';
import { and, count, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { containsPattern, hasTrigram } from '../../../kernel/search-text.ts';
import { servers } from '../../servers/table.ts';
import { couldBeInName } from '../rules.ts';
import { memberCounts, members, seenMembers } from '../table.ts';
import { profileFields } from './person.ts';
import { leftAt } from './seen.ts';
import { sortedMatches, sortedPage, sortedScan } from './sorted.ts';

type Server = { id: string; accountId: string };

const { id, serverId, accountId, platformId, verifiedAt, pullable } = members;

const ofServer = (server: Server) => and(eq(serverId, server.id), eq(accountId, server.accountId));

type ListQuery = MemberQuery & { sort?: MemberSort };

/** Newest first, unless it is asked for otherwise. The ids of the page and the total are read by one statement. */
export const listMembers = async (
  db: Queryable,
  server: Server,
  query: ListQuery,
  mostRead = defaultMostRead,
) => {
  if (query.search && !couldBeInName(query.search)) return { rows: [], total: 0 };
  const { total, ids } = query.search
    ? await searchPage(db, server, { ...query, search: query.search }, mostRead)
    : await unfilteredPage(db, server, query);
  if (ids.length === 0) return { rows: [], total };
  const rows = await db
    .select({ id, platformId, ...profileFields, pullable, leftAt })
    .from(members)
    .leftJoin(seenMembers, eq(seenMembers.memberId, id))
    .where(and(ofServer(server), inArray(id, ids)));
  const placeOf = new Map(ids.map((one, place) => [one, place]));
  const inPlace = (one: { id: string }) => placeOf.get(one.id) ?? 0;
  return { rows: rows.toSorted((one, other) => inPlace(one) - inPlace(other)), total };
};

type Page = { total: number; ids: string[] };

const readPage = async (db: Queryable, statement: SQL): Promise<Page> => {
  const [row] = await db.execute(statement);
  return { total: Number(row?.total ?? 0), ids: row?.ids ?? [] };
};

const pullableFilter = (isPullable: boolean | undefined): SQL =>
  isPullable === undefined ? sql`` : sql`and ${pullable} = ${isPullable}`;

const unfilteredPage = (db: Queryable, server: Server, query: ListQuery): Promise<Page> => {
  const { sort = 'newest', page, limit, pullable: isPullable } = query;
  if (sort === 'newest') return newestPage(db, server, query);
  const part = { limit, offset: (page - 1) * limit };
  return readPage(db, sortedPage(server.id, { sort, isPullable }, part));
};

/**
 * Finds the day on which the page begins by the daily counts, and skips only within that day: the
 * last page of a million members costs as much as the first.
 */
const newestPage = (
  db: Queryable,
  server: Server,
  { page, limit, pullable: isPullable }: MemberQuery,
): Promise<Page> => {
  const offset = (page - 1) * limit;
  const { total, pullable: pullableCount, day } = memberCounts;
  const counted =
    isPullable === undefined
      ? total
      : isPullable
        ? pullableCount
        : sql`${total} - ${pullableCount}`;
  const filter = pullableFilter(isPullable);
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
 * LIKE finds the same under every collation, but an index serves only its own. Without this, a cached
 * plan would use the trigram index for a short pattern too, and read all of it.
 */
const unindexedText = sql`${members.searchText} collate "C"`;

/**
 * Of a server with no more members all names are read. The trigram index is one for all servers: among 20 million
 * members a lookup takes as long as reading 50,000 names and more, unless the text is rare everywhere.
 */
const defaultMostRead = 50_000;

type Search = ListQuery & { search: string };

const searchPage = async (
  db: Queryable,
  server: Server,
  query: Search,
  mostRead: number,
): Promise<Page> => {
  const { page, limit, search } = query;
  const filter = pullableFilter(query.pullable);
  const isReadWhole = (await countMembers(db, server)).members <= mostRead;
  const isIndexed = !isReadWhole && hasTrigram(search);
  const inName = sql`${isIndexed ? members.searchText : unindexedText} like ${containsPattern(search)}`;
  const isMatch = /^\d+$/.test(search) ? sql`(${platformId} = ${search} or ${inName})` : inName;
  const matching = sql`from ${members} where ${serverId} = ${server.id} ${filter} and ${isMatch}`;
  const part = { limit, offset: (page - 1) * limit };
  const { sort = 'newest' } = query;
  const isFoundFirst = isReadWhole || isIndexed;
  if (sort === 'newest') {
    return readPage(db, isFoundFirst ? pageOfMatches(matching, part) : pageByScan(matching, part));
  }
  if (isFoundFirst) return readPage(db, sortedMatches(matching, sort, part));
  const sorted = { sort, isPullable: query.pullable, isMatch };
  return readPage(db, sortedScan(server.id, matching, sorted, part));
};

type Part = { limit: number; offset: number };

/** Finds all matches before it sorts: where they are few, or the members are. */
const pageOfMatches = (matching: SQL, { limit, offset }: Part): SQL => sql`
  with matching as materialized (select ${id} as id, ${verifiedAt} as at ${matching}),
  found as (select id from matching order by at desc, id desc limit ${limit} offset ${offset})
  select (select count(*) from matching) as total,
    (select coalesce(array_agg(id::text), '{}') from found) as ids`;

/**
 * For text too short for the trigram index, in a large server. All names are read once to count, and again
 * from the newest until the page is full, unless the count shows that the page is empty.
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

const countedStatuses = ['VALID', 'EXPIRED', 'REVOKED'] as const;

/** By status; members without a token are not counted. */
export const countTokens = async (db: Queryable, server: Server) => {
  const owned = db
    .select({ id: servers.id })
    .from(servers)
    .where(and(eq(servers.id, server.id), eq(servers.accountId, server.accountId)));
  const rows = await db
    .select({ status: members.tokenStatus, total: count() })
    .from(members)
    // By the index alone, which has no account: of a large server the rows would be most of the table's pages.
    .where(and(sql`${serverId} = (${owned})`, inArray(members.tokenStatus, [...countedStatuses])))
    .groupBy(members.tokenStatus);
  const totalOf = (tokenStatus: string) =>
    rows.find(({ status }) => status === tokenStatus)?.total ?? 0;
  return { valid: totalOf('VALID'), expired: totalOf('EXPIRED'), revoked: totalOf('REVOKED') };
};

import { type MemberSort, mostSortedMembers } from '@holdfast/contract';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { memberCounts, members } from '../table.ts';

type SortedOrder = Exclude<MemberSort, 'newest'>;
type Part = { limit: number; offset: number };

const { id, serverId, pullable } = members;

const orders: Record<SortedOrder, { key: PgColumn; isAscending: boolean }> = {
  oldest: { key: members.verifiedAt, isAscending: true },
  name: { key: members.searchText, isAscending: true },
  nameReversed: { key: members.searchText, isAscending: false },
  youngestAccount: { key: members.accountCreatedAt, isAscending: false },
  oldestAccount: { key: members.accountCreatedAt, isAscending: true },
};

const directionOf = (sort: SortedOrder): SQL => (orders[sort].isAscending ? sql`asc` : sql`desc`);

/** How many of a page are within the members that another order than the newest shows. */
const shownOf = ({ limit, offset }: Part): number =>
  Math.max(0, Math.min(limit, mostSortedMembers - offset));

/**
 * The first of all members in an order, by an index that begins with server and `pullable`: so those who
 * can be pulled and the others are read apart and merged. An offset is walked, so it has an end.
 */
const firstInOrder = (
  server: string,
  { sort, isPullable, isMatch }: Sorted,
  { limit, offset }: Part,
): SQL => {
  const { key } = orders[sort];
  const direction = directionOf(sort);
  const last = Math.min(offset + limit, mostSortedMembers);
  const branches = (isPullable === undefined ? [true, false] : [isPullable]).map(
    (value) => sql`(
      select ${id} as id, ${key} as key from ${members}
      where ${serverId} = ${server} and ${pullable} = ${value} ${isMatch ? sql`and ${isMatch}` : sql``}
      order by ${key} ${direction}, ${id} ${direction} limit ${last})`,
  );
  return sql`
    select id from (${sql.join(branches, sql` union all `)}) as part
    order by key ${direction}, id ${direction}
    limit ${shownOf({ limit, offset })} offset ${offset}`;
};

type Sorted = {
  sort: SortedOrder;
  isPullable: boolean | undefined;
  isMatch?: SQL | undefined;
};

/** Of everybody: the daily counts know how many there are. */
export const sortedPage = (server: string, sorted: Sorted, part: Part): SQL => {
  const { total, pullable: pullableCount } = memberCounts;
  const { isPullable } = sorted;
  const counted =
    isPullable === undefined
      ? total
      : isPullable
        ? pullableCount
        : sql`${total} - ${pullableCount}`;
  return sql`
    with found as (${firstInOrder(server, sorted, part)})
    select (select coalesce(sum(${counted}), 0) from ${memberCounts}
        where ${memberCounts.serverId} = ${server}) as total,
      (select coalesce(array_agg(id::text), '{}') from found) as ids`;
};

/** All matches are found, then sorted: where they are few, or the members are. */
export const sortedMatches = (matching: SQL, sort: SortedOrder, part: Part): SQL => {
  const { key } = orders[sort];
  const direction = directionOf(sort);
  return sql`
    with matching as materialized (select ${id} as id, ${key} as key ${matching}),
    found as (
      select id from matching order by key ${direction}, id ${direction}
      limit ${shownOf(part)} offset ${part.offset}
    )
    select (select count(*) from matching) as total,
      (select coalesce(array_agg(id::text), '{}') from found) as ids`;
};

/**
 * Matches of a text too short for the trigram index, in a large server: counted, then read in the order
 * until the page is full, unless the count shows that the page is empty.
 */
export const sortedScan = (
  server: string,
  matching: SQL,
  { isMatch, ...sorted }: Sorted & { isMatch: SQL },
  part: Part,
): SQL => {
  const isWorth = sql`${isMatch} and (select total from counted) > ${part.offset}`;
  return sql`
    with counted as materialized (select count(*) as total ${matching}),
    found as (${firstInOrder(server, { ...sorted, isMatch: isWorth }, part)})
    select (select total from counted) as total,
      (select coalesce(array_agg(id::text), '{}') from found) as ids`;
};

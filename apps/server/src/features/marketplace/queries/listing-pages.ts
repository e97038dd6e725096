import type { ListingQuery, ListingSort } from '@holdfast/contract';
import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { type countedOrders, listingCounts, listings } from '../table.ts';

type SortOrder = {
  by: (typeof countedOrders)[number];
  /** The sort column; equal values are sorted by age. */
  value: Column | undefined;
  isAscending: boolean;
};

export const orderOf: Record<ListingSort, SortOrder> = {
  newest: { by: 'age', value: undefined, isAscending: false },
  oldest: { by: 'age', value: undefined, isAscending: true },
  price_asc: { by: 'price', value: listings.priceCents, isAscending: true },
  price_desc: { by: 'price', value: listings.priceCents, isAscending: false },
  popular: { by: 'sales', value: listings.salesCount, isAscending: false },
};

const directionOf = ({ isAscending }: SortOrder): SQL => (isAscending ? sql`asc` : sql`desc`);

/** Must be equal to the number in the trigger that counts listings. */
const listingsPerChunk = 1024;

export type ListingPage = { total: number; seqs: number[] };

/** Near the top it skips rows; further down it first finds the chunk in which the page begins. */
export const findPage = async (db: Queryable, query: ListingQuery): Promise<ListingPage> => {
  const { category, sort, page, limit } = query;
  const order = orderOf[sort];
  const list = { order, category: category ?? 'ALL' };
  const offset = (page - 1) * limit;
  const isNear = offset < listingsPerChunk;
  const from = isNear ? sql`true` : startsAtChunk(order);
  const skip = isNear ? sql`${offset}` : sql`(select skip from chunk)`;
  const isOfCategory = category ? sql`and ${listings.category} = ${category}` : sql``;
  const [row] = await db.execute(sql`
    with ${isNear ? sql`` : findChunk(list, sql`${offset}::bigint`)} found as (
      select ${listings.seq} as seq from ${listings}
      where ${listings.isPublished} ${isOfCategory} and ${from}
      order by ${columnsOf(order)} limit ${limit} offset ${skip}
    )
    select (${countAll(list.category)}) as total,
      (select coalesce(array_agg(seq), '{}') from found) as seqs`);
  return { total: Number(row?.total ?? 0), seqs: (row?.seqs ?? []).map(Number) };
};

/** Sorted by age all listings have the same value, and so are in one cell. */
const countAll = (category: string): SQL => sql`
  select coalesce(sum(${listingCounts.total}), 0) from ${listingCounts}
  where ${listingCounts.listedBy} = 'age' and ${listingCounts.category} = ${category}
    and ${listingCounts.level} = 1`;

type List = { order: SortOrder; category: string };

/**
 * Descends the counts to the chunk in which the page begins, so that rows are skipped only within the chunk.
 * A page in the middle of a hundred thousand listings costs little more than the first one.
 */
const findChunk = (list: List, offset: SQL): SQL => sql`
  ${descend(list, 1, { skip: offset, within: sql`` })},
  ${descend(list, 2, { skip: sql`(select skip from cell)`, within: inCell })},
  ${descend(list, 3, { skip: sql`(select skip from value)`, within: sql`${inCell} ${inValue}` })},`;

const inCell = sql`and ${listingCounts.cell} = (select cell from cell)`;
const inValue = sql`and ${listingCounts.value} = (select value from value)`;

const levels = {
  1: { column: listingCounts.cell, name: sql.raw('cell') },
  2: { column: listingCounts.value, name: sql.raw('value') },
  3: { column: listingCounts.chunk, name: sql.raw('chunk') },
};

/** The counts of one level, and the entry in which the page begins, with the number of rows to skip in it. */
const descend = (
  { order, category }: List,
  level: keyof typeof levels,
  { skip, within }: { skip: SQL; within: SQL },
): SQL => {
  const { column, name } = levels[level];
  const { total } = listingCounts;
  return sql`${name}s as (
      select ${column} as ${name}, ${total} as here,
        sum(${total}) over (order by ${column} ${directionOf(order)}) - ${total} as before
      from ${listingCounts}
      where ${listingCounts.listedBy} = ${order.by} and ${listingCounts.category} = ${category}
        and ${listingCounts.level} = ${level} ${within}
    ), ${name} as (
      select ${name}, ${skip} - before as skip from ${name}s
      where ${skip} >= before and ${skip} < before + here limit 1
    )`;
};

const startsAtChunk = ({ value, isAscending }: SortOrder): SQL => {
  const first = sql`(select chunk from chunk) * ${listingsPerChunk}::bigint`;
  const edge = isAscending ? first : sql`${first} + ${listingsPerChunk - 1}::bigint`;
  const compare = isAscending ? sql`>=` : sql`<=`;
  return value
    ? sql`(${value}, ${listings.seq}) ${compare} ((select value from value), ${edge})`
    : sql`${listings.seq} ${compare} ${edge}`;
};

export const columnsOf = (order: SortOrder): SQL => {
  const direction = directionOf(order);
  const bySeq = sql`${listings.seq} ${direction}`;
  return order.value ? sql`${order.value} ${direction}, ${bySeq}` : bySeq;
};

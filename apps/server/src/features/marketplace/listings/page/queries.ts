import type { ListingQuery, ListingSort } from '@holdfast/contract';
import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../../../db/connect.ts';
import { type countedOrders, listingCounts, listings } from '../../table.ts';

type Order = {
  by: (typeof countedOrders)[number];
  /** Those of one value stand in the order of their age. */
  value: Column | undefined;
  isRising: boolean;
};

const orderOf: Record<ListingSort, Order> = {
  newest: { by: 'age', value: undefined, isRising: false },
  oldest: { by: 'age', value: undefined, isRising: true },
  price_asc: { by: 'price', value: listings.priceCents, isRising: true },
  price_desc: { by: 'price', value: listings.priceCents, isRising: false },
  popular: { by: 'sales', value: listings.salesCount, isRising: false },
};

const wayOf = ({ isRising }: Order): SQL => (isRising ? sql`asc` : sql`desc`);

/** As the trigger that counts them has it. */
const listingsPerChunk = 1024;

export type Page = { total: number; seqs: number[] };

/** Near the top it simply skips; farther down that would cost more than to look where to begin. */
export const findPage = async (db: Queryable, query: ListingQuery): Promise<Page> => {
  const { category, sort, page, limit } = query;
  const order = orderOf[sort];
  const list = { order, category: category ?? 'ALL' };
  const offset = (page - 1) * limit;
  const isNear = offset < listingsPerChunk;
  const from = isNear ? sql`true` : isFromChunkOn(order);
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

/** By age they are all of one value, and so of one cell. */
const countAll = (category: string): SQL => sql`
  select coalesce(sum(${listingCounts.total}), 0) from ${listingCounts}
  where ${listingCounts.listedBy} = 'age' and ${listingCounts.category} = ${category}
    and ${listingCounts.level} = 1`;

type List = { order: Order; category: string };

/**
 * Walks the counts down to the chunk in which the page begins, so that only within that something is
 * skipped: a page in the middle of a hundred thousand costs little more than the first one does.
 */
const findChunk = (list: List, offset: SQL): SQL => sql`
  ${walk(list, 1, { skip: offset, within: sql`` })},
  ${walk(list, 2, { skip: sql`(select skip from cell)`, within: inCell })},
  ${walk(list, 3, { skip: sql`(select skip from value)`, within: sql`${inCell} ${inValue}` })},`;

const inCell = sql`and ${listingCounts.cell} = (select cell from cell)`;
const inValue = sql`and ${listingCounts.value} = (select value from value)`;

const steps = {
  1: { column: listingCounts.cell, name: sql.raw('cell') },
  2: { column: listingCounts.value, name: sql.raw('value') },
  3: { column: listingCounts.chunk, name: sql.raw('chunk') },
};

/** The counts of one level, and the one of them in which the page begins, with what is to be skipped there. */
const walk = (
  { order, category }: List,
  level: keyof typeof steps,
  { skip, within }: { skip: SQL; within: SQL },
): SQL => {
  const { column, name } = steps[level];
  const { total } = listingCounts;
  return sql`${name}s as (
      select ${column} as ${name}, ${total} as here,
        sum(${total}) over (order by ${column} ${wayOf(order)}) - ${total} as before
      from ${listingCounts}
      where ${listingCounts.listedBy} = ${order.by} and ${listingCounts.category} = ${category}
        and ${listingCounts.level} = ${level} ${within}
    ), ${name} as (
      select ${name}, ${skip} - before as skip from ${name}s
      where ${skip} >= before and ${skip} < before + here limit 1
    )`;
};

const isFromChunkOn = ({ value, isRising }: Order): SQL => {
  const first = sql`(select chunk from chunk) * ${listingsPerChunk}::bigint`;
  const edge = isRising ? first : sql`${first} + ${listingsPerChunk - 1}::bigint`;
  const compare = isRising ? sql`>=` : sql`<=`;
  return value
    ? sql`(${value}, ${listings.seq}) ${compare} ((select value from value), ${edge})`
    : sql`${listings.seq} ${compare} ${edge}`;
};

const columnsOf = (order: Order): SQL => {
  const way = wayOf(order);
  const bySeq = sql`${listings.seq} ${way}`;
  return order.value ? sql`${order.value} ${way}, ${bySeq}` : bySeq;
};

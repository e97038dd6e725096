import type { PageQuery } from '@holdfast/contract';
import { count, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Queryable } from '../connect.ts';

/** A list's select with its order, to which the page is still to be added. */
type OrderedRows<Row> = {
  limit(limit: number): { offset(offset: number): PromiseLike<Row[]> };
};

/**
 * One page of a list, and how many rows the whole list has.
 *
 *     listPage(query, db.select(fields).from(keys).where(isOwn).orderBy(desc(id)), countRows(db, keys, isOwn))
 */
export const listPage = async <Row>(
  { page, limit }: PageQuery,
  rows: OrderedRows<Row>,
  total: Promise<number>,
): Promise<{ rows: Row[]; total: number }> => {
  const [listed, counted] = await Promise.all([
    rows.limit(limit).offset((page - 1) * limit),
    total,
  ]);
  return { rows: listed, total: counted };
};

export const countRows = async (
  db: Queryable,
  table: PgTable,
  where?: SQL | undefined,
): Promise<number> => {
  const [counted] = await db.select({ total: count() }).from(table).where(where);
  return counted?.total ?? 0;
};

import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Queryable } from '../connect.ts';

/** Deletes at most `limit` rows of the key's table; returns how many there were. */
export const deleteSome = async (
  db: Queryable,
  key: PgColumn,
  where: SQL | undefined,
  limit: number,
): Promise<number> => {
  const { table } = key;
  const some = db.select({ key }).from(table).where(where).limit(limit);
  const deleted = await db.delete(table).where(inArray(key, some)).returning({ key });
  return deleted.length;
};

type TableOfServers = PgTable & { serverId: PgColumn };

/** Deletes the rows of one server, chunk by chunk, of a table whose rows have a key of one column. */
export const purgeByServer =
  (table: TableOfServers, key: PgColumn) =>
  (db: Queryable, serverId: string, limit: number): Promise<number> =>
    deleteSome(db, key, eq(table.serverId, serverId), limit);

/**
 * The same for a table without such a key. It finds rows by their place, so it is only for tables
 * whose rows are not updated while the server is being purged.
 */
export const purgeByPlace =
  (table: TableOfServers) =>
  async (db: Queryable, serverId: string, limit: number): Promise<number> => {
    const ofServer = eq(table.serverId, serverId);
    const some = sql`array(select ctid from ${table} where ${ofServer} limit ${limit})`;
    const deleted = await db
      .delete(table)
      .where(and(ofServer, sql`${table}.ctid = any(${some})`))
      .returning({ serverId: table.serverId });
    return deleted.length;
  };

type Batches = { signal: AbortSignal; pauseMs?: number };

/** Runs `deleteBatch` until it deletes nothing. The pause leaves the database to others. */
export const deleteInBatches = async (
  { signal, pauseMs }: Batches,
  deleteBatch: () => Promise<number>,
): Promise<void> => {
  while ((await deleteBatch()) > 0) {
    signal.throwIfAborted();
    if (pauseMs !== undefined) await Bun.sleep(pauseMs);
  }
};

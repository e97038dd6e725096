import { mostUnreadCounted, type PageQuery } from '@holdfast/contract';
import {
  and,
  count,
  desc,
  eq,
  inArray,
  isNull,
  lt,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { purgeByServer } from '../../../db/queries/purge-rows.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { alertSettings, alerts } from '../table.ts';

const { id, accountId, serverId, kind, facts, readAt, createdAt, isListed } = alerts;

const listedOf = (ownerId: string) => and(eq(accountId, ownerId), isListed);

/** By the clock, not by the start of the transaction: what was read last is then the newest. */
export const insertAlert = async (
  tx: Transaction,
  row: Omit<typeof alerts.$inferInsert, 'createdAt' | 'readAt'>,
): Promise<void> => {
  await tx.insert(alerts).values({ ...row, createdAt: sql`clock_timestamp()` });
  if (row.isListed) markChanged(tx, { accountId: row.accountId }, 'alerts');
};

export const listAlerts = (db: Queryable, ownerId: string, page: PageQuery) => {
  const rows = db
    .select({ id, serverId, kind, facts, readAt, createdAt })
    .from(alerts)
    .where(listedOf(ownerId))
    .orderBy(desc(createdAt), desc(id));
  return listPage(page, rows, countRows(db, alerts, listedOf(ownerId)));
};

/** In the order of their index: without one PostgreSQL may look for a few rows in all accounts'. */
const newestUnread = (db: Queryable, ownerId: string, upTo?: SQL) =>
  db
    .select({ id })
    .from(alerts)
    .where(and(listedOf(ownerId), isNull(readAt), upTo))
    .orderBy(desc(createdAt), desc(id));

export const countUnreadAlerts = async (db: Queryable, ownerId: string): Promise<number> => {
  const some = newestUnread(db, ownerId).limit(mostUnreadCounted).as('some');
  const [counted] = await db.select({ unread: count() }).from(some);
  return counted?.unread ?? 0;
};

export const findListedAlert = (db: Queryable, owner: { accountId: string; alertId: string }) =>
  firstRow(
    db
      .select({ id, createdAt })
      .from(alerts)
      .where(and(listedOf(owner.accountId), eq(id, owner.alertId))),
  );

/** As an array the ids are read once; as a subquery they may be read again for every row. */
const isOneOf = (ids: SQLWrapper) => sql`${id} = any(array${ids})`;

const markedAtATime = 5000;

/**
 * Marks the alert and all older ones; returns how many were unread. In steps, each well within the time of
 * a statement, and newest first, so that two who mark at once lock them in the same order.
 */
export const markRead = async (
  tx: Transaction,
  ownerId: string,
  upTo: { id: string; createdAt: Date },
): Promise<number> => {
  const isOlder = sql`(${createdAt}, ${id}) <= (${upTo.createdAt.toISOString()}::timestamptz, ${upTo.id}::uuid)`;
  const some = newestUnread(tx, ownerId, isOlder).limit(markedAtATime).for('no key update');
  for (let read = 0; ; ) {
    const marked = await tx
      .update(alerts)
      .set({ readAt: sql`now()` })
      .where(and(eq(accountId, ownerId), isOneOf(some)))
      .returning({ id });
    read += marked.length;
    if (marked.length === 0) return read;
    markChanged(tx, { accountId: ownerId }, 'alerts');
  }
};

export const purgeAlertsOfServer = purgeByServer(alerts, id);

const deletedAtOnce = 1000;

/** Those that the first pages show, with their messages; the purge of the server deletes the others. */
export const deleteAlertsOfServer = async (
  tx: Transaction,
  owner: { accountId: string; serverId: string },
): Promise<void> => {
  const ofServer = and(eq(accountId, owner.accountId), eq(serverId, owner.serverId));
  const newest = tx
    .select({ id })
    .from(alerts)
    .where(ofServer)
    .orderBy(desc(createdAt))
    .limit(deletedAtOnce);
  await tx.delete(alerts).where(and(ofServer, isOneOf(newest)));
  markChanged(tx, { accountId: owner.accountId }, 'alerts');
};

/** Returns how many there were; open pages that showed one are told. */
export const deleteAlertsBefore = async (
  db: Queryable,
  before: Date,
  limit: number,
): Promise<number> => {
  const old = db.select({ id }).from(alerts).where(lt(createdAt, before)).limit(limit);
  const deleted = await db
    .delete(alerts)
    .where(inArray(id, old))
    .returning({ accountId, isListed });
  const shown = deleted.filter((alert) => alert.isListed);
  for (const ownerId of new Set(shown.map((alert) => alert.accountId))) {
    markChanged(db, { accountId: ownerId }, 'alerts');
  }
  return deleted.length;
};

export const deleteAlertsOfAccount = async (tx: Transaction, ownerId: string): Promise<void> => {
  await tx.delete(alerts).where(eq(accountId, ownerId));
  await tx.delete(alertSettings).where(eq(alertSettings.accountId, ownerId));
};

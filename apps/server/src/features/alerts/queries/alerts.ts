import { mostUnreadCounted, type PageQuery } from '@holdfast/contract';
import { and, count, desc, eq, isNull, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { deleteSome, purgeByServer } from '../../../db/queries/purge-rows.ts';
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
};

export const listAlerts = (db: Queryable, ownerId: string, page: PageQuery) => {
  const rows = db
    .select({ id, serverId, kind, facts, readAt, createdAt })
    .from(alerts)
    .where(listedOf(ownerId))
    .orderBy(desc(createdAt), desc(id));
  return listPage(page, rows, countRows(db, alerts, listedOf(ownerId)));
};

export const countUnreadAlerts = async (db: Queryable, ownerId: string): Promise<number> => {
  const some = db
    .select({ id })
    .from(alerts)
    .where(and(listedOf(ownerId), isNull(readAt)))
    .limit(mostUnreadCounted)
    .as('some');
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

/** Marks the alert and all older ones; returns how many were unread. */
export const markRead = async (
  tx: Transaction,
  ownerId: string,
  upTo: { id: string; createdAt: Date },
): Promise<number> => {
  const isOlder = sql`(${createdAt}, ${id}) <= (${upTo.createdAt.toISOString()}::timestamptz, ${upTo.id}::uuid)`;
  const marked = await tx
    .update(alerts)
    .set({ readAt: sql`now()` })
    .where(and(listedOf(ownerId), isNull(readAt), isOlder))
    .returning({ id });
  return marked.length;
};

export const purgeAlertsOfServer = purgeByServer(alerts, id);

/** Their messages go with them. */
export const deleteAlertsOfServer = async (
  tx: Transaction,
  owner: { accountId: string; serverId: string },
): Promise<void> => {
  await tx.delete(alerts).where(and(eq(accountId, owner.accountId), eq(serverId, owner.serverId)));
};

export const deleteAlertsBefore = (db: Queryable, before: Date, limit: number): Promise<number> =>
  deleteSome(db, id, lt(createdAt, before), limit);

export const deleteAlertsOfAccount = async (tx: Transaction, ownerId: string): Promise<void> => {
  await tx.delete(alerts).where(eq(accountId, ownerId));
  await tx.delete(alertSettings).where(eq(alertSettings.accountId, ownerId));
};

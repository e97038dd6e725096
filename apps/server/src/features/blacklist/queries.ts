import type { PageQuery } from '@holdfast/contract';
import { and, desc, eq, inArray } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { countRows, listPage } from '../../db/queries/list-page.ts';
import { firstRow } from '../../db/queries/rows.ts';
import { blacklist } from './table.ts';

const { id, accountId, platformId, reason, createdAt } = blacklist;
const entryFields = { id, platformId, reason, createdAt };

/** Undefined if the platform user is on the list already. */
export const insertEntry = (tx: Transaction, row: typeof blacklist.$inferInsert) =>
  firstRow(tx.insert(blacklist).values(row).onConflictDoNothing().returning(entryFields));

export const listEntries = (db: Queryable, ownerId: string, page: PageQuery) => {
  const isOwn = eq(accountId, ownerId);
  const rows = db
    .select(entryFields)
    .from(blacklist)
    .where(isOwn)
    .orderBy(desc(createdAt), desc(id));
  return listPage(page, rows, countRows(db, blacklist, isOwn));
};

export const isBlacklisted = async (
  db: Queryable,
  person: { accountId: string; platformId: string },
): Promise<boolean> => {
  const found = await db
    .select({ id })
    .from(blacklist)
    .where(and(eq(accountId, person.accountId), eq(platformId, person.platformId)));
  return found.length > 0;
};

/** Those of these people who are on the list. */
export const listBlacklisted = async (
  db: Queryable,
  ownerId: string,
  platformIds: readonly string[],
): Promise<Set<string>> => {
  const found = await db
    .select({ platformId })
    .from(blacklist)
    .where(and(eq(accountId, ownerId), inArray(platformId, [...platformIds])));
  return new Set(found.map((entry) => entry.platformId));
};

export const deleteEntry = async (tx: Transaction, entryId: string, ownerId: string) => {
  const [entry] = await tx
    .delete(blacklist)
    .where(and(eq(id, entryId), eq(accountId, ownerId)))
    .returning({ id, platformId });
  return entry;
};

export const deleteBlacklistOfAccount = async (tx: Transaction, ownerId: string): Promise<void> => {
  await tx.delete(blacklist).where(eq(accountId, ownerId));
};

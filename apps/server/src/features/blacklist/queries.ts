import type { PageQuery } from '@holdfast/contract';
import { and, count, desc, eq } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { blacklist } from './table.ts';

const { id, accountId, platformId, reason, createdAt } = blacklist;
const entryFields = { id, platformId, reason, createdAt };

/** Undefined where the platform user is on the list already. */
export const insertEntry = async (tx: Transaction, row: typeof blacklist.$inferInsert) => {
  const [entry] = await tx
    .insert(blacklist)
    .values(row)
    .onConflictDoNothing()
    .returning(entryFields);
  return entry;
};

export const listEntries = async (db: Queryable, ownerId: string, { page, limit }: PageQuery) => {
  const ofOwner = eq(accountId, ownerId);
  const [rows, [counted]] = await Promise.all([
    db
      .select(entryFields)
      .from(blacklist)
      .where(ofOwner)
      .orderBy(desc(createdAt), desc(id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(blacklist).where(ofOwner),
  ]);
  return { rows, total: counted?.total ?? 0 };
};

export const deleteEntry = async (tx: Transaction, entryId: string, ownerId: string) => {
  const [entry] = await tx
    .delete(blacklist)
    .where(and(eq(id, entryId), eq(accountId, ownerId)))
    .returning({ id, platformId });
  return entry;
};

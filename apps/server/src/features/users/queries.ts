import type { PlanName } from '@holdfast/contract';
import { eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { newId } from '../../kernel/ids.ts';
import { users } from './table.ts';

/** Counts against the plan happen under this lock: one creation at a time per account. */
export const lockUser = async (tx: Transaction, userId: string): Promise<void> => {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
};

/** The user of that platform id, made if need be, and locked. */
export const findOrCreateUser = async (
  tx: Transaction,
  platformId: string,
  username = `user-${platformId}`,
) => {
  const [user] = await tx
    .insert(users)
    .values({ id: newId(), platformId, username })
    .onConflictDoUpdate({ target: users.platformId, set: { platformId } })
    .returning({ id: users.id, plan: users.plan });
  if (!user) throw new Error('The user could not be stored');
  return user;
};

export const setPlan = async (tx: Transaction, userId: string, plan: PlanName): Promise<void> => {
  await tx.update(users).set({ plan, updatedAt: sql`now()` }).where(eq(users.id, userId));
};

export const isUser = async (db: Queryable, userId: string): Promise<boolean> => {
  const found = await db.select({ id: users.id }).from(users).where(eq(users.id, userId));
  return found.length > 0;
};

export const findPlan = async (db: Queryable, userId: string): Promise<PlanName | undefined> => {
  const [user] = await db.select({ plan: users.plan }).from(users).where(eq(users.id, userId));
  return user?.plan;
};

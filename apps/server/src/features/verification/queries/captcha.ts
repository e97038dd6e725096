import { and, eq, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { pendingVerifications, usedSolutions } from '../table.ts';

/** Longer than any solution is valid. */
const keptHours = 1;

/** False if the solution was used before. */
export const claimSolution = async (tx: Transaction, hash: string): Promise<boolean> => {
  const expiresAt = sql<Date>`now() + make_interval(hours => ${keptHours})`;
  const claimed = await tx
    .insert(usedSolutions)
    .values({ hash, expiresAt })
    .onConflictDoNothing()
    .returning({ hash: usedSolutions.hash });
  return claimed.length > 0;
};

export const markCaptchaPassed = async (
  tx: Transaction,
  pending: { id: string; accountId: string },
): Promise<void> => {
  const { id, accountId } = pendingVerifications;
  await tx
    .update(pendingVerifications)
    .set({ hasPassedCaptcha: true })
    .where(and(eq(id, pending.id), eq(accountId, pending.accountId)));
};

export const deleteExpiredSolutions = async (db: Queryable): Promise<void> => {
  await db.delete(usedSolutions).where(lt(usedSolutions.expiresAt, sql`now()`));
};

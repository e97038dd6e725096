import { lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { usedSolutions } from '../table.ts';

/** Longer than any solution is good for. */
const keptHours = 1;

/** False where somebody used it before. */
export const useSolution = async (tx: Transaction, hash: string): Promise<boolean> => {
  const expiresAt = sql<Date>`now() + make_interval(hours => ${keptHours})`;
  const used = await tx
    .insert(usedSolutions)
    .values({ hash, expiresAt: expiresAt })
    .onConflictDoNothing()
    .returning({ hash: usedSolutions.hash });
  return used.length > 0;
};

export const forgetSolutions = async (db: Queryable): Promise<void> => {
  await db.delete(usedSolutions).where(lt(usedSolutions.expiresAt, sql`now()`));
};
